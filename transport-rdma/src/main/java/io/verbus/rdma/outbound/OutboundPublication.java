// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.LatencyHop;
import io.verbus.rdma.common.LogRegistration;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.StreamHops;
import io.verbus.transport.TransportHost;

import java.security.SecureRandom;

/** The conductor's state of a publication: its log's registration and its transfer. */
final class OutboundPublication {
    private static final SecureRandom TOKENS = new SecureRandom();

    private enum Phase {
        /** The publication is open. */
        OPEN,

        /**
         * The destination was dropped. The stream is offered to it again once its last transfer has
         * been released.
         */
        LEAVING,

        /** The log is damaged, so it is no longer sent. */
        BROKEN,

        /** The driver has closed the publication. */
        CLOSED,

        /** The destination was removed. Its stream ends at the sent position and never resumes. */
        REMOVED
    }

    /** Stream to send: the publication, or one of its destinations. */
    final OutboundStream stream;

    /** Destination if the publication has several, or null. */
    final FanOutDestination branch;

    /** Null if the channel requests no timestamps. */
    private final SendTimestamps timestamps;

    /** Pending or complete registration of the log in the endpoint's domain, or null. */
    private LogRegistration registration;

    /** Transfer on the current connection, or null. */
    private Transfer transfer;

    /** Transfer on the lost connection, kept until the stream is accepted again; or null. */
    private Transfer cutOff;

    /** The image in which the next transfer resumes; none unless a transfer was cut off. */
    private PeerImage image = PeerImage.NONE;

    /** Time until which clients are not notified of the lost connection. */
    private long resumeByNs;

    /**
     * Proves to the peer that this is the same stream, from the same driver. Changes only between
     * transfers, because a transfer resumes with the token that the previous transfer offered.
     */
    private long resumeToken = TOKENS.nextLong();

    /** Sampler of the stream's hops, or null. */
    private StreamHops hops;

    private Phase phase = Phase.OPEN;

    /** Last message sent to the publication's clients, or null. */
    private String told;

    OutboundPublication(OutboundStream stream) {
        this.stream = stream;
        this.branch = null;
        this.timestamps = SendTimestamps.of(stream);
    }

    /**
     * @param branch destination of the publication.
     * @param timestamps timestamps of the publication; null if its channel requests none.
     */
    OutboundPublication(FanOutDestination branch, SendTimestamps timestamps) {
        this.stream = branch;
        this.branch = branch;
        this.timestamps = timestamps;
    }

    /** Returns the publication as known to the driver. */
    OutboundStream publication() {
        return branch == null ? stream : branch.stream();
    }

    /** Returns the destination's channel, or the publication's if the receiver announced itself. */
    ChannelUri channel() {
        return branch == null || branch.controlId() != 0
                ? publication().channel()
                : branch.channel();
    }

    /** Returns the timestamps of the publication; null if its channel requests none. */
    SendTimestamps timestamps() {
        return timestamps;
    }

    LogRegistration registration() {
        return registration;
    }

    /** Sets the registration of the log in the endpoint's domain. */
    void register(LogRegistration newRegistration) {
        registration = newRegistration;
    }

    Transfer transfer() {
        return transfer;
    }

    /** Sets the transfer on the current connection. */
    void begin(Transfer newTransfer) {
        transfer = newTransfer;
    }

    /** Clears the transfer, which has ended without being cut off. */
    void end() {
        transfer = null;
    }

    Transfer cutOff() {
        return cutOff;
    }

    boolean isClosing() {
        return phase == Phase.CLOSED || phase == Phase.REMOVED;
    }

    /** Marks the publication closed by the driver. */
    void close() {
        if (phase != Phase.REMOVED) {
            phase = Phase.CLOSED;
        }
    }

    boolean isBroken() {
        return phase == Phase.BROKEN;
    }

    /** Marks the log damaged, unless the publication ends anyway. */
    void breakOff() {
        if (!isClosing()) {
            phase = Phase.BROKEN;
        }
    }

    /** Marks the destination removed. */
    void remove() {
        phase = Phase.REMOVED;
    }

    boolean isLeaving() {
        return phase == Phase.LEAVING;
    }

    /**
     * Permits offering a dropped publication again, because nothing is left of its last transfer.
     */
    void comeBack() {
        if (phase == Phase.LEAVING) {
            phase = Phase.OPEN;
        }
    }

    /** Returns whether the publication is to be sent, if it is not being sent already. */
    boolean isToBeSent() {
        return phase == Phase.OPEN || isClosing() && isResuming();
    }

    long resumeToken() {
        return resumeToken;
    }

    /** Returns the image in which the next transfer resumes. */
    PeerImage image() {
        return image;
    }

    /**
     * Handles the loss of the connection: the stream resumes later if it can.
     *
     * @param resumeBy deadline for the stream to be accepted again.
     */
    void onLost(long resumeBy) {
        Transfer lost = transfer;
        transfer = null;
        comeBack();
        if (lost == null) {
            return;
        }
        if (lost.image().canResume() && phase != Phase.REMOVED) {
            if (cutOff == null) {
                resumeByNs = resumeBy;
                image = PeerImage.HELD;
            }
            cutOff = lost;
        } else if (branch != null || lost.image() != PeerImage.NONE) {
            forget();
        }
    }

    /** Called when the peer no longer has an image, so the stream starts over. */
    void onNotResumed() {
        cutOff = null;
        image = PeerImage.NONE;
    }

    /**
     * Discards the state needed to resume. Called while there is no transfer. A peer that still has
     * the image must not mistake the next transfer for the same stream.
     */
    void forget() {
        onNotResumed();
        resumeToken = TOKENS.nextLong();
    }

    /**
     * Marks the publication dropped, so that the next transfer to the peer is a different stream.
     */
    void onLeft() {
        forget();
        phase = Phase.LEAVING;
    }

    /** Marks the publication accepted, so that later failures are reported again. */
    void onAccepted() {
        told = null;
        onNotResumed();
    }

    /** Returns whether the publication is expected to resume. */
    boolean isResuming() {
        return image == PeerImage.HELD;
    }

    /** Returns true once, on the first call after the time to resume has passed. */
    boolean isLate(long nowNs) {
        if (!isResuming() || nowNs - resumeByNs < 0) {
            return false;
        }
        image = PeerImage.GIVEN_UP;
        return true;
    }

    /** Returns whether a message is the last one sent to its clients. */
    boolean isTold(String message) {
        return message.equals(told);
    }

    /**
     * Reports to the publication's clients that it cannot be sent, unless they have just been sent
     * the same message. Not reported for receivers that announced themselves: they may disappear at
     * any time, and errors are recorded in the error log.
     *
     * @param host the driver.
     * @param rejected whether the peer has refused the stream.
     * @param message cause and remedy.
     */
    void tell(TransportHost host, boolean rejected, String message) {
        boolean cameByItself = branch != null && branch.controlId() != 0;
        if (!isClosing() && !cameByItself && !isTold(message)) {
            told = message;
            host.onPublicationFailed(publication(), rejected, message);
        }
    }

    /**
     * Returns the sampler of the stream's hops, or null.
     *
     * @param host the driver.
     * @param peer address to which the stream is sent.
     * @param options options of the transport.
     */
    StreamHops hops(TransportHost host, String peer, RdmaOptions options) {
        if (hops == null) {
            hops = host.hops(stream, peer, LatencyHop.FABRIC, options.statusIntervalNs());
        }
        return hops;
    }

    /** Frees the sampler of the stream's hops. */
    void closeHops(TransportHost host) {
        host.free(hops);
        hops = null;
    }

    /** Returns the registered memory of the log. */
    RegisteredMemory log() {
        return registration.memory();
    }

    /** Deregisters the log. No work request may still read it. */
    void closeLog() {
        if (registration != null) {
            registration.end();
            registration = null;
        }
    }
}
