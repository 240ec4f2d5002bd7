// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.codecs.rdma.AnnounceDecoder;
import io.verbus.codecs.rdma.AnnounceEncoder;
import io.verbus.codecs.rdma.AnnouncedDecoder;
import io.verbus.codecs.rdma.AnnouncedEncoder;
import io.verbus.codecs.rdma.BooleanType;
import io.verbus.codecs.rdma.RejectCode;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;

/**
 * The private data of a connection request at a publication's control address: a receiver asks to
 * be connected to. It needs no connection, so the request is always refused, and the refusal is the
 * answer. A fabric may pad either with zeros, and a later release may add fields.
 *
 * @param versions of the protocol that the peer speaks.
 * @param driverId of the subscribing driver.
 * @param port at which it listens, at the address from which it asks.
 * @param isOfSession whether it asks for the responses of one session, and nothing else.
 * @param streamId of the responses.
 * @param sessionId of the responses.
 */
public record Announcement(
        Versions versions,
        long driverId,
        int port,
        boolean isOfSession,
        int streamId,
        int sessionId) {
    /** "VERBUS", the kind of message, and its version. */
    public static final long MAGIC = 0x5645524255530101L;

    private static final int LEAST_LENGTH = AnnounceDecoder.highestVersionEncodingOffset();

    /**
     * The answer.
     *
     * @param versions of the protocol that the publishing driver speaks.
     * @param code {@link RejectCode#ANNOUNCED}, or why not.
     * @param controlId of the control address: that of each Setup which follows.
     */
    public record Answer(Versions versions, RejectCode code, long controlId) {
        private static final int LEAST_LENGTH = AnnouncedDecoder.highestVersionEncodingOffset();

        /** Bytes of this side's answer. */
        public static byte[] of(RejectCode code, long controlId) {
            byte[] bytes = new byte[AnnouncedEncoder.BLOCK_LENGTH];
            new AnnouncedEncoder()
                    .wrap(new UnsafeBuffer(bytes), 0)
                    .magic(MAGIC)
                    .protocolVersion(Versions.OURS.lowest())
                    .code(code)
                    .controlId(controlId)
                    .highestVersion(Versions.OURS.highest());
            return bytes;
        }

        /**
         * Reads a peer's answer.
         *
         * @param bytes as they arrived.
         * @return the answer, or null if it is none.
         */
        public static Answer read(byte[] bytes) {
            if (bytes.length < LEAST_LENGTH) {
                return null;
            }
            byte[] whole = Arrays.copyOf(bytes, AnnouncedDecoder.BLOCK_LENGTH);
            AnnouncedDecoder answer =
                    new AnnouncedDecoder()
                            .wrap(
                                    new UnsafeBuffer(whole),
                                    0,
                                    AnnouncedDecoder.BLOCK_LENGTH,
                                    AnnouncedDecoder.SCHEMA_VERSION);
            return answer.magic() == MAGIC
                    ? new Answer(
                            Versions.told((int) answer.protocolVersion(), answer.highestVersion()),
                            Hello.code(answer.codeRaw()),
                            answer.controlId())
                    : null;
        }
    }

    /** Of a receiver that takes whatever the control address has for all. */
    public static Announcement ofAll(long driverId, int port) {
        return new Announcement(Versions.OURS, driverId, port, false, 0, 0);
    }

    /** Of a receiver that awaits responses. */
    public static Announcement ofSession(long driverId, int port, int streamId, int sessionId) {
        return new Announcement(Versions.OURS, driverId, port, true, streamId, sessionId);
    }

    /** Its bytes. */
    public byte[] bytes() {
        byte[] bytes = new byte[AnnounceEncoder.BLOCK_LENGTH];
        new AnnounceEncoder()
                .wrap(new UnsafeBuffer(bytes), 0)
                .magic(MAGIC)
                .protocolVersion(versions.lowest())
                .driverId(driverId)
                .port(port)
                .ofSession(isOfSession ? BooleanType.T : BooleanType.F)
                .streamId(streamId)
                .sessionId(sessionId)
                .highestVersion(versions.highest());
        return bytes;
    }

    /**
     * Reads a peer's announcement.
     *
     * @param bytes as they arrived.
     * @return the announcement, or null if it is none of a Verbus driver.
     */
    public static Announcement read(byte[] bytes) {
        if (bytes.length < LEAST_LENGTH) {
            return null;
        }
        byte[] whole = Arrays.copyOf(bytes, AnnounceDecoder.BLOCK_LENGTH);
        AnnounceDecoder announce =
                new AnnounceDecoder()
                        .wrap(
                                new UnsafeBuffer(whole),
                                0,
                                AnnounceDecoder.BLOCK_LENGTH,
                                AnnounceDecoder.SCHEMA_VERSION);
        if (announce.magic() != MAGIC || announce.ofSessionRaw() > BooleanType.T.value()) {
            return null;
        }
        return new Announcement(
                Versions.told((int) announce.protocolVersion(), announce.highestVersion()),
                announce.driverId(),
                announce.port(),
                announce.ofSessionRaw() == BooleanType.T.value(),
                announce.streamId(),
                announce.sessionId());
    }
}
