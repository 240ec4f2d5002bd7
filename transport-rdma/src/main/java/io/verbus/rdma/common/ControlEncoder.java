// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.codecs.rdma.AcceptEncoder;
import io.verbus.codecs.rdma.AgainEncoder;
import io.verbus.codecs.rdma.BooleanType;
import io.verbus.codecs.rdma.CloseEncoder;
import io.verbus.codecs.rdma.DeferDecoder;
import io.verbus.codecs.rdma.DeferEncoder;
import io.verbus.codecs.rdma.GoodbyeEncoder;
import io.verbus.codecs.rdma.ImageClosedEncoder;
import io.verbus.codecs.rdma.MessageHeaderEncoder;
import io.verbus.codecs.rdma.ProofEncoder;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.RejectEncoder;
import io.verbus.codecs.rdma.ResponseSessionEncoder;
import io.verbus.codecs.rdma.SetupEncoder;
import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.codecs.rdma.WantedEncoder;
import io.verbus.rdma.auth.Proof;

import org.agrona.MutableDirectBuffer;

import java.util.OptionalLong;

/**
 * Encodes control messages for a peer's protocol version; each method returns the number of bytes
 * written. Used by one agent.
 */
public final class ControlEncoder {
    private static final int HEADER = MessageHeaderEncoder.ENCODED_LENGTH;
    private static final int MAX_TEXT = 160;

    private final int schemaVersion;
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final ProofEncoder proof = new ProofEncoder();
    private final SetupEncoder setup = new SetupEncoder();
    private final CloseEncoder close = new CloseEncoder();
    private final AcceptEncoder accept = new AcceptEncoder();
    private final DeferEncoder defer = new DeferEncoder();
    private final WantedEncoder wanted = new WantedEncoder();
    private final AgainEncoder again = new AgainEncoder();
    private final RejectEncoder reject = new RejectEncoder();
    private final ImageClosedEncoder imageClosed = new ImageClosedEncoder();
    private final ResponseSessionEncoder responseSession = new ResponseSessionEncoder();
    private final GoodbyeEncoder goodbye = new GoodbyeEncoder();

    /**
     * @param version protocol version common to the two drivers.
     */
    public ControlEncoder(int version) {
        schemaVersion = Versions.schema(version);
    }

    /**
     * Offers a stream. The offer's own position and isResuming are replaced by the given values.
     */
    public int setup(
            MutableDirectBuffer buffer,
            int offset,
            Setup offer,
            long position,
            boolean isResuming) {
        setup.wrapAndApplyHeader(buffer, offset, header)
                .registrationId(offer.registrationId())
                .sessionId(offer.sessionId())
                .streamId(offer.streamId())
                .initialTermId(offer.initialTermId())
                .termLength(offer.termLength())
                .mtu(offer.mtu())
                .position(position)
                .creditAddress(offer.creditAddress())
                .creditKey(offer.creditKey() & 0xFFFF_FFFFL)
                .resumeToken(offer.resumeToken())
                .isResuming(isResuming ? BooleanType.T : BooleanType.F)
                .wantsResponses(offer.wantsResponses() ? BooleanType.T : BooleanType.F)
                .controlId(offer.controlId());
        return written(setup.encodedLength());
    }

    /** Sends the proof of this driver's key. */
    public int proof(MutableDirectBuffer buffer, int offset, Proof given) {
        proof.wrapAndApplyHeader(buffer, offset, header)
                .proof1(given.first())
                .proof2(given.second())
                .proof3(given.third())
                .proof4(given.fourth());
        return written(proof.encodedLength());
    }

    /** Ends a stream. */
    public int close(
            MutableDirectBuffer buffer,
            int offset,
            long registration,
            long position,
            StreamEnd end) {
        close.wrapAndApplyHeader(buffer, offset, header)
                .registrationId(registration)
                .finalPosition(position)
                .end(end);
        return written(close.encodedLength());
    }

    /** Accepts a stream. */
    public int accept(
            MutableDirectBuffer buffer,
            int offset,
            long registration,
            long logAddress,
            int logKey,
            long position,
            int window,
            OptionalLong groupTag) {
        accept.wrapAndApplyHeader(buffer, offset, header)
                .registrationId(registration)
                .logAddress(logAddress)
                .logKey(logKey & 0xFFFF_FFFFL)
                .position(position)
                .window(window)
                .isTagged(groupTag.isPresent() ? BooleanType.T : BooleanType.F)
                .groupTag(groupTag.orElse(0));
        return written(accept.encodedLength());
    }

    /**
     * Defers a stream.
     *
     * @param streams stream ids of the endpoint's subscriptions, as text; null to omit them. A text
     *     that is too long is truncated.
     */
    public int defer(MutableDirectBuffer buffer, int offset, long registration, String streams) {
        defer.wrapAndApplyHeader(buffer, offset, header).registrationId(registration);
        if (streams != null && schemaVersion >= DeferDecoder.streamsSinceVersion()) {
            defer.streams(cut(streams));
        }
        return written(defer.encodedLength());
    }

    /** Requests a deferred stream. */
    public int wanted(MutableDirectBuffer buffer, int offset, long registration) {
        wanted.wrapAndApplyHeader(buffer, offset, header).registrationId(registration);
        return written(wanted.encodedLength());
    }

    /** Requests that a stream being written be offered again. */
    public int again(MutableDirectBuffer buffer, int offset, long registration) {
        again.wrapAndApplyHeader(buffer, offset, header).registrationId(registration);
        return written(again.encodedLength());
    }

    /** Rejects a stream; a text that is too long is truncated. */
    public int reject(
            MutableDirectBuffer buffer,
            int offset,
            long registration,
            RejectCode code,
            String text) {
        reject.wrapAndApplyHeader(buffer, offset, header)
                .registrationId(registration)
                .code(code)
                .text(cut(text));
        return written(reject.encodedLength());
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }

    /** Reports that an image is closed. */
    public int imageClosed(MutableDirectBuffer buffer, int offset, long registration) {
        imageClosed.wrapAndApplyHeader(buffer, offset, header).registrationId(registration);
        return written(imageClosed.encodedLength());
    }

    /** Reports the session id of the responses to a stream. */
    public int responseSession(
            MutableDirectBuffer buffer, int offset, long registration, int sessionId) {
        responseSession
                .wrapAndApplyHeader(buffer, offset, header)
                .registrationId(registration)
                .sessionId(sessionId);
        return written(responseSession.encodedLength());
    }

    /** Reports that this driver is closing. */
    public int goodbye(MutableDirectBuffer buffer, int offset) {
        goodbye.wrapAndApplyHeader(buffer, offset, header);
        return written(goodbye.encodedLength());
    }

    /** Completes a message: sets the version in its header, and returns its length. */
    private int written(int bodyLength) {
        header.version(schemaVersion);
        return HEADER + bodyLength;
    }
}
