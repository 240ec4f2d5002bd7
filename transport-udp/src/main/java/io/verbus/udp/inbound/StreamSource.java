// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.udp.common.ReceiverCounters;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Address of a stream's sender: frames of the stream are accepted only from there. After a silence,
 * the sender may continue from another address. Used by the receiver.
 */
final class StreamSource {
    /** Silence after which a sender may continue from another address. */
    private static final long SILENCE_NS = 1_000_000_000;

    /** Minimum interval between answers to frames that anyone can send. */
    private static final long MIN_ANSWER_INTERVAL_NS = 10_000_000;

    private final UdpEndpoint endpoint;
    private final ControlSender sender;
    private final ReceiverCounters counters;
    private final SocketAddress address = new SocketAddress();

    /** Address at which to respond to the sender: its control address, if any, else the address. */
    private final SocketAddress replyTo;

    private final UnsafeBuffer frame;
    private long heardNs;
    private long answeredNs;

    /**
     * Called by the conductor's thread.
     *
     * @param address address that offers the stream.
     * @param frame buffer in which to write control frames, which others may use between calls.
     * @param nowNs monotonic time.
     */
    StreamSource(
            SocketAddress address,
            UnsafeBuffer frame,
            UdpEndpoint endpoint,
            ReceiverCounters counters,
            long nowNs) {
        this.address.set(address);
        this.frame = frame;
        this.endpoint = endpoint;
        this.counters = counters;
        sender = endpoint.sender();
        SocketAddress control = endpoint.control();
        replyTo = control == null ? this.address : control;
        heardNs = nowNs;
        answeredNs = nowNs - MIN_ANSWER_INTERVAL_NS;
    }

    /** Returns whether a frame comes from the sender's address. */
    boolean is(SocketAddress from) {
        return address.isSame(from);
    }

    /** Returns whether a frame comes from the sender's address; counts it as forged if not. */
    boolean accepts(SocketAddress from) {
        boolean isOfSender = address.isSame(from);
        if (!isOfSender) {
            counters.forged.incrementRelease();
        }
        return isOfSender;
    }

    /** Records a sign of life from the sender. */
    void heard(long nowNs) {
        heardNs = nowNs;
    }

    /**
     * Handles a setup of the stream. The sender may change its address if it was silent at the old
     * one for a while, and if the setup matches the stream.
     *
     * @return whether the setup comes from the sender; otherwise it is counted as forged.
     */
    boolean acceptsSetup(SocketAddress from, boolean isMatching, long nowNs) {
        boolean mayMove = isMatching && nowNs - heardNs >= SILENCE_NS;
        if (!mayMove && !accepts(from)) {
            return false;
        }
        address.set(from); // its local address may have changed
        heardNs = nowNs;
        return true;
    }

    /**
     * Handles a data frame from an address other than the sender's. If the sender is silent, the
     * frame may come from the sender after a router has changed its address, so this requests a
     * setup.
     */
    void onForged(UnsafeBuffer part, SocketAddress from, long nowNs) {
        counters.forged.incrementRelease();
        if (nowNs - heardNs < SILENCE_NS || !mayAnswer(nowNs)) {
            return;
        }
        StatusFrame.write(
                frame,
                StatusFrame.FLAG_SEND_SETUP,
                part.getInt(FrameHeader.SESSION_ID),
                part.getInt(FrameHeader.STREAM_ID),
                part.getInt(FrameHeader.TERM_ID),
                part.getInt(FrameHeader.TERM_OFFSET),
                0,
                endpoint.receiverId());
        if (sender.send(replyTo == address ? from : replyTo, frame, StatusFrame.LENGTH, nowNs)) {
            counters.statusMessages.incrementRelease();
        }
    }

    /** Returns whether an answer may be sent now; the next may be sent only after an interval. */
    boolean mayAnswer(long nowNs) {
        if (nowNs - answeredNs < MIN_ANSWER_INTERVAL_NS) {
            return false;
        }
        answeredNs = nowNs;
        return true;
    }

    /** Returns the address at which to respond to the sender. */
    SocketAddress replyTo() {
        return replyTo;
    }

    /** Sends a control frame to the sender. Returns whether it was sent. */
    boolean send(UnsafeBuffer message, int length, long nowNs) {
        return sender.send(replyTo, message, length, nowNs);
    }
}
