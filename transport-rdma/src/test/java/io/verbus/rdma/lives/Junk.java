// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.codecs.rdma.AcceptDecoder;
import io.verbus.codecs.rdma.CloseDecoder;
import io.verbus.codecs.rdma.DeferDecoder;
import io.verbus.codecs.rdma.GoodbyeDecoder;
import io.verbus.codecs.rdma.ImageClosedDecoder;
import io.verbus.codecs.rdma.MessageHeaderEncoder;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.RejectDecoder;
import io.verbus.codecs.rdma.ResponseSessionDecoder;
import io.verbus.codecs.rdma.SetupDecoder;
import io.verbus.rdma.common.Hello;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.Random;

/** Generates the messages that hostile peers send. */
public final class Junk {
    private static final int CONTENT_LENGTH = 96;
    private static final int MAX_TEMPLATE = 13;
    private static final int MAX_NOISE = 256;
    private static final int MAX_HELLO = 56;

    private Junk() {}

    /**
     * Returns a message with a valid header around any content.
     *
     * @param template id of the message.
     * @param content bytes of its body.
     * @param excess number of bytes that it is longer than its template.
     */
    public static byte[] shaped(int template, byte[] content, int excess) {
        int blockLength =
                switch (template) {
                    case SetupDecoder.TEMPLATE_ID -> SetupDecoder.BLOCK_LENGTH;
                    case CloseDecoder.TEMPLATE_ID -> CloseDecoder.BLOCK_LENGTH;
                    case AcceptDecoder.TEMPLATE_ID -> AcceptDecoder.BLOCK_LENGTH;
                    case DeferDecoder.TEMPLATE_ID -> DeferDecoder.BLOCK_LENGTH;
                    case RejectDecoder.TEMPLATE_ID -> RejectDecoder.BLOCK_LENGTH;
                    case ImageClosedDecoder.TEMPLATE_ID -> ImageClosedDecoder.BLOCK_LENGTH;
                    case GoodbyeDecoder.TEMPLATE_ID -> GoodbyeDecoder.BLOCK_LENGTH;
                    case ResponseSessionDecoder.TEMPLATE_ID -> ResponseSessionDecoder.BLOCK_LENGTH;
                    default -> 8;
                };
        int contentLength = Math.max(0, blockLength + excess);
        byte[] message = new byte[MessageHeaderEncoder.ENCODED_LENGTH + contentLength];
        new MessageHeaderEncoder()
                .wrap(new UnsafeBuffer(message), 0)
                .blockLength(blockLength)
                .templateId(template)
                .schemaId(MessageHeaderEncoder.SCHEMA_ID)
                .version(MessageHeaderEncoder.SCHEMA_VERSION);
        System.arraycopy(content, 0, message, MessageHeaderEncoder.ENCODED_LENGTH, contentLength);
        return message;
    }

    /** Returns random bytes, or a message with a valid header around random bytes. */
    static byte[] message(Random random) {
        if (random.nextInt(3) == 0) {
            return bytes(random, 1 + random.nextInt(MAX_NOISE));
        }
        byte[] content = bytes(random, CONTENT_LENGTH);
        return shaped(random.nextInt(MAX_TEMPLATE + 1), content, random.nextInt(3) - 1);
    }

    /** Returns a hello that is valid, altered in some bytes, cut off, or random. */
    static byte[] hello(Random random) {
        byte[] hello = Hello.of(random.nextLong(), RejectCode.UNSPECIFIED);
        return switch (random.nextInt(4)) {
            case 0 -> hello;
            case 1 -> bytes(random, random.nextInt(MAX_HELLO + 1));
            case 2 -> Arrays.copyOf(hello, random.nextInt(hello.length));
            default -> {
                for (int i = 1 + random.nextInt(3); i > 0; i--) {
                    hello[random.nextInt(hello.length)] = (byte) random.nextInt();
                }
                yield hello;
            }
        };
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
