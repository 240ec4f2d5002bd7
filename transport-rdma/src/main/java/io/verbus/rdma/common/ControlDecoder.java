// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.codecs.rdma.AcceptDecoder;
import io.verbus.codecs.rdma.AgainDecoder;
import io.verbus.codecs.rdma.BooleanType;
import io.verbus.codecs.rdma.CloseDecoder;
import io.verbus.codecs.rdma.DeferDecoder;
import io.verbus.codecs.rdma.GoodbyeDecoder;
import io.verbus.codecs.rdma.ImageClosedDecoder;
import io.verbus.codecs.rdma.MessageHeaderDecoder;
import io.verbus.codecs.rdma.ProofDecoder;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.RejectDecoder;
import io.verbus.codecs.rdma.ResponseSessionDecoder;
import io.verbus.codecs.rdma.SetupDecoder;
import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.codecs.rdma.WantedDecoder;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.rdma.auth.Proof;

import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the control messages of a peer. The bytes are not trusted: each length, identifier and
 * value is validated before use, and an invalid message is reported by a description, not an
 * exception. Additional bytes of later schemas are skipped.
 *
 * <p>Used by one agent. Valid messages allocate only objects that outlive the call.
 */
public final class ControlDecoder {
    private static final int HEADER = MessageHeaderDecoder.ENCODED_LENGTH;
    private static final int MAX_TEXT = 160;
    private static final StreamEnd[] STREAM_ENDS = StreamEnd.values();

    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final SetupDecoder setup = new SetupDecoder();
    private final ProofDecoder proof = new ProofDecoder();
    private final CloseDecoder close = new CloseDecoder();
    private final AcceptDecoder accept = new AcceptDecoder();
    private final DeferDecoder defer = new DeferDecoder();
    private final WantedDecoder wanted = new WantedDecoder();
    private final AgainDecoder again = new AgainDecoder();
    private final RejectDecoder reject = new RejectDecoder();
    private final ImageClosedDecoder imageClosed = new ImageClosedDecoder();
    private final ResponseSessionDecoder responseSession = new ResponseSessionDecoder();

    /** Messages of a publishing driver. */
    public interface Offers {
        /** Called when the peer has sent a proof of its key, which is not verified yet. */
        void onProof(Proof proof);

        /** Called when a stream is offered. */
        void onSetup(Setup offer);

        /** Called when a stream has ended at a position, or is no longer offered. */
        void onClose(long registrationId, long finalPosition, StreamEnd end);

        /** Called when the driver is closing. */
        void onGoodbye();
    }

    /** Messages of a subscribing driver. */
    public interface Answers {
        /**
         * Called when the image is ready to be written; the address range of a log of any length
         * does not wrap.
         */
        void onAccept(
                long registrationId,
                long logAddress,
                int logKey,
                long position,
                int window,
                boolean isTagged,
                long groupTag);

        /**
         * Called when the stream has no subscription yet.
         *
         * @param streams stream ids of the endpoint's subscriptions, as text; null if unknown.
         */
        void onDefer(long registrationId, String streams);

        /** Called when a deferred stream has a subscription now. */
        void onWanted(long registrationId);

        /** Called when a stream being written must be offered again, after its last write. */
        void onAgain(long registrationId);

        /** Called when the stream is refused. */
        void onReject(long registrationId, RejectCode code, String text);

        /** Called when the image is closed, and credit is no longer written. */
        void onImageClosed(long registrationId);

        /** Called when the peer reports the session id of the responses to a stream. */
        void onResponseSession(long registrationId, int sessionId);

        /** Called when the driver is closing. */
        void onGoodbye();
    }

    /**
     * Reads a message of a publishing driver.
     *
     * @param address address of its first byte.
     * @param length length in bytes.
     * @param offers handler of the message.
     * @return description of the protocol violation, or null.
     */
    public String readOffer(long address, int length, Offers offers) {
        String wrong = readHeader(address, length);
        if (wrong != null) {
            return wrong;
        }
        return switch (header.templateId()) {
            case SetupDecoder.TEMPLATE_ID -> readSetup(length, offers);
            case ProofDecoder.TEMPLATE_ID -> readProof(length, offers);
            case CloseDecoder.TEMPLATE_ID -> readClose(length, offers);
            case GoodbyeDecoder.TEMPLATE_ID -> {
                if (!fits(length, GoodbyeDecoder.BLOCK_LENGTH)) {
                    yield size("Goodbye", length);
                }
                offers.onGoodbye();
                yield null;
            }
            default -> unexpected("publishing");
        };
    }

    /**
     * Reads a message of a subscribing driver.
     *
     * @param address address of its first byte.
     * @param length length in bytes.
     * @param answers handler of the message.
     * @return description of the protocol violation, or null.
     */
    public String readAnswer(long address, int length, Answers answers) {
        String wrong = readHeader(address, length);
        if (wrong != null) {
            return wrong;
        }
        return switch (header.templateId()) {
            case AcceptDecoder.TEMPLATE_ID -> readAccept(length, answers);
            case DeferDecoder.TEMPLATE_ID -> readDefer(length, answers);
            case WantedDecoder.TEMPLATE_ID -> readWanted(length, answers);
            case AgainDecoder.TEMPLATE_ID -> readAgain(length, answers);
            case RejectDecoder.TEMPLATE_ID -> readReject(length, answers);
            case ImageClosedDecoder.TEMPLATE_ID -> readImageClosed(length, answers);
            case ResponseSessionDecoder.TEMPLATE_ID -> readResponseSession(length, answers);
            case GoodbyeDecoder.TEMPLATE_ID -> {
                if (!fits(length, GoodbyeDecoder.BLOCK_LENGTH)) {
                    yield size("Goodbye", length);
                }
                answers.onGoodbye();
                yield null;
            }
            default -> unexpected("subscribing");
        };
    }

    private String readHeader(long address, int length) {
        if (length < HEADER || length > RdmaOptions.MESSAGE_LENGTH) {
            return "a control message has invalid length " + length;
        }
        buffer.wrap(address, length);
        header.wrap(buffer, 0);
        if (header.schemaId() != MessageHeaderDecoder.SCHEMA_ID) {
            return "a control message has unknown schema " + header.schemaId();
        }
        return null;
    }

    private String readSetup(int length, Offers offers) {
        if (!fits(length, SetupDecoder.BLOCK_LENGTH)) {
            return size("Setup", length);
        }
        setup.wrap(buffer, HEADER, SetupDecoder.BLOCK_LENGTH, SetupDecoder.SCHEMA_VERSION);
        int termLength = setup.termLength();
        int mtu = setup.mtu();
        long position = setup.position();
        long creditAddress = setup.creditAddress();
        if (termLength < LogLayout.MIN_TERM_LENGTH
                || termLength > LogLayout.MAX_TERM_LENGTH
                || !BitUtil.isPowerOfTwo(termLength)) {
            return "Setup has invalid term length " + termLength;
        }
        if (mtu < LogSpec.MIN_MTU || mtu > LogSpec.MAX_MTU || mtu % FrameHeader.ALIGNMENT != 0) {
            return "Setup has invalid MTU " + mtu;
        }
        if (!isPosition(position) || position > ((long) termLength << 31)) {
            return "Setup has invalid position " + position;
        }
        if (!isAddress(creditAddress, CreditLine.LENGTH)) {
            return "Setup has invalid credit address " + Long.toHexString(creditAddress);
        }
        if (setup.isResumingRaw() > BooleanType.T.value()) {
            return "Setup has invalid resuming flag " + setup.isResumingRaw();
        }
        if (setup.wantsResponsesRaw() > BooleanType.T.value()) {
            return "Setup has invalid response flag " + setup.wantsResponsesRaw();
        }
        offers.onSetup(
                new Setup(
                        setup.registrationId(),
                        setup.sessionId(),
                        setup.streamId(),
                        setup.initialTermId(),
                        termLength,
                        mtu,
                        position,
                        creditAddress,
                        (int) setup.creditKey(),
                        setup.resumeToken(),
                        setup.isResumingRaw() == BooleanType.T.value(),
                        setup.wantsResponsesRaw() == BooleanType.T.value(),
                        setup.controlId()));
        return null;
    }

    private String readProof(int length, Offers offers) {
        if (!fits(length, ProofDecoder.BLOCK_LENGTH)) {
            return size("Proof", length);
        }
        proof.wrap(buffer, HEADER, ProofDecoder.BLOCK_LENGTH, ProofDecoder.SCHEMA_VERSION);
        offers.onProof(new Proof(proof.proof1(), proof.proof2(), proof.proof3(), proof.proof4()));
        return null;
    }

    private String readClose(int length, Offers offers) {
        if (!fits(length, CloseDecoder.BLOCK_LENGTH)) {
            return size("Close", length);
        }
        close.wrap(buffer, HEADER, CloseDecoder.BLOCK_LENGTH, CloseDecoder.SCHEMA_VERSION);
        if (!isPosition(close.finalPosition())) {
            return "Close has invalid final position " + close.finalPosition();
        }
        StreamEnd end = streamEnd(close.endRaw());
        if (end == null) {
            return "Close has unknown end " + close.endRaw();
        }
        offers.onClose(close.registrationId(), close.finalPosition(), end);
        return null;
    }

    private static StreamEnd streamEnd(short value) {
        for (StreamEnd end : STREAM_ENDS) {
            if (end.value() == value && end != StreamEnd.NULL_VAL) {
                return end;
            }
        }
        return null;
    }

    private String readAccept(int length, Answers answers) {
        if (!fits(length, AcceptDecoder.BLOCK_LENGTH)) {
            return size("Accept", length);
        }
        accept.wrap(buffer, HEADER, AcceptDecoder.BLOCK_LENGTH, AcceptDecoder.SCHEMA_VERSION);
        long logAddress = accept.logAddress();
        if (!isAddress(logAddress, LogLayout.fileLength(LogLayout.MAX_TERM_LENGTH))) {
            return "Accept has invalid log address " + Long.toHexString(logAddress);
        }
        if (!isPosition(accept.position())) {
            return "Accept has invalid position " + accept.position();
        }
        if (accept.window() < FrameHeader.ALIGNMENT) {
            return "Accept has invalid window " + accept.window();
        }
        if (accept.isTaggedRaw() > BooleanType.T.value()) {
            return "Accept has invalid tag flag " + accept.isTaggedRaw();
        }
        answers.onAccept(
                accept.registrationId(),
                logAddress,
                (int) accept.logKey(),
                accept.position(),
                accept.window(),
                accept.isTaggedRaw() == BooleanType.T.value(),
                accept.groupTag());
        return null;
    }

    private String readWanted(int length, Answers answers) {
        if (!fits(length, WantedDecoder.BLOCK_LENGTH)) {
            return size("Wanted", length);
        }
        wanted.wrap(buffer, HEADER, WantedDecoder.BLOCK_LENGTH, WantedDecoder.SCHEMA_VERSION);
        answers.onWanted(wanted.registrationId());
        return null;
    }

    private String readAgain(int length, Answers answers) {
        if (!fits(length, AgainDecoder.BLOCK_LENGTH)) {
            return size("Again", length);
        }
        again.wrap(buffer, HEADER, AgainDecoder.BLOCK_LENGTH, AgainDecoder.SCHEMA_VERSION);
        answers.onAgain(again.registrationId());
        return null;
    }

    private String readDefer(int length, Answers answers) {
        if (!fits(length, DeferDecoder.BLOCK_LENGTH)) {
            return size("Defer", length);
        }
        defer.wrap(buffer, HEADER, header.blockLength(), DeferDecoder.SCHEMA_VERSION);
        long registrationId = defer.registrationId();
        int fixed = HEADER + header.blockLength() + DeferDecoder.streamsHeaderLength();
        if (length < fixed) { // omitted, or an earlier version
            answers.onDefer(registrationId, null);
            return null;
        }
        int textLength = defer.streamsLength();
        if (textLength > MAX_TEXT || length < fixed + textLength) {
            return "Defer has a text of "
                    + textLength
                    + " bytes in a message of "
                    + length
                    + " bytes";
        }
        answers.onDefer(registrationId, text(fixed, textLength));
        return null;
    }

    private String readReject(int length, Answers answers) {
        int fixed = HEADER + header.blockLength() + RejectDecoder.textHeaderLength();
        if (!fits(length, RejectDecoder.BLOCK_LENGTH) || length < fixed) {
            return size("Reject", length);
        }
        reject.wrap(buffer, HEADER, header.blockLength(), RejectDecoder.SCHEMA_VERSION);
        int textLength = reject.textLength();
        if (textLength > MAX_TEXT || length < fixed + textLength) {
            return "Reject has a text of "
                    + textLength
                    + " bytes in a message of "
                    + length
                    + " bytes";
        }
        int code = reject.codeRaw();
        if (code < 0 || code > RejectCode.IMAGE_REJECTED.value()) {
            return "Reject has unknown code " + code;
        }
        answers.onReject(reject.registrationId(), RejectCode.get(code), text(fixed, textLength));
        return null;
    }

    private String text(int at, int textLength) {
        StringBuilder text = new StringBuilder(textLength);
        for (int i = 0; i < textLength; i++) {
            byte letter = buffer.getByte(at + i);
            text.append(letter >= ' ' && letter < 127 ? (char) letter : '?');
        }
        return text.toString();
    }

    private String readImageClosed(int length, Answers answers) {
        if (!fits(length, ImageClosedDecoder.BLOCK_LENGTH)) {
            return size("ImageClosed", length);
        }
        imageClosed.wrap(
                buffer, HEADER, ImageClosedDecoder.BLOCK_LENGTH, ImageClosedDecoder.SCHEMA_VERSION);
        answers.onImageClosed(imageClosed.registrationId());
        return null;
    }

    private String readResponseSession(int length, Answers answers) {
        if (!fits(length, ResponseSessionDecoder.BLOCK_LENGTH)) {
            return size("ResponseSession", length);
        }
        responseSession.wrap(
                buffer,
                HEADER,
                ResponseSessionDecoder.BLOCK_LENGTH,
                ResponseSessionDecoder.SCHEMA_VERSION);
        answers.onResponseSession(responseSession.registrationId(), responseSession.sessionId());
        return null;
    }

    /** Returns whether the message contains the known fields, and its length covers the block. */
    private boolean fits(int length, int blockLength) {
        return header.blockLength() >= blockLength && length >= HEADER + header.blockLength();
    }

    private String size(String name, int length) {
        return name
                + " has a block of "
                + header.blockLength()
                + " bytes in a message of "
                + length
                + " bytes";
    }

    private String unexpected(String side) {
        return "a "
                + side
                + " driver must not send control messages of template "
                + header.templateId();
    }

    private static boolean isPosition(long position) {
        return position >= 0 && position % FrameHeader.ALIGNMENT == 0;
    }

    /** Returns whether the address is aligned to a cache line, and the range does not wrap. */
    private static boolean isAddress(long address, long length) {
        return address != 0
                && address % CreditLine.LENGTH == 0
                && Long.compareUnsigned(address, -length) < 0;
    }
}
