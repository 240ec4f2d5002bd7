// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.rdma.common.LogRegistration;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportHost;

import java.security.SecureRandom;

/** What the conductor knows of a publication: its log's registration and its transfer. */
final class OutboundPublication {
    private static final SecureRandom TOKENS = new SecureRandom();

    /** What is sent: the publication, or one of its several destinations. */
    final OutboundStream stream;

    /** The destination, where the publication has several; or null. */
    final FanOutDestination branch;

    /** Of the log, in the endpoint's domain: under way or in place; or null. */
    private LogRegistration registration;

    /** On the connection that stands, or null. */
    private Transfer transfer;

    /**
     * What the last connection left when it was lost, until the stream is accepted anew; or null.
     */
    private Transfer cutOff;

    /** Until when clients are not told that it was cut off. */
    private long resumeByNs;

    /** The time to resume has passed. */
    private boolean isGivenUp;

    /**
     * Tells the peer that it is the same stream, and no other driver's. It changes between
     * transfers only: what a transfer has offered, the next resumes with the same.
     */
    private long resumeToken = TOKENS.nextLong();

    /** The driver has closed it. */
    private boolean isClosing;

    /** Its log is damaged: it is sent no more. */
    private boolean isBroken;

    /** What its clients were told last, or null. */
    private String told;

    /** The destination was removed: it ends where it is, whatever becomes of the connection. */
    private boolean isRemoved;

    /** It was left, and is offered anew when the peer has let go of it. */
    private boolean isLeaving;

    OutboundPublication(OutboundStream stream) {
        this.stream = stream;
        this.branch = null;
    }

    OutboundPublication(FanOutDestination branch) {
        this.stream = branch;
        this.branch = branch;
    }

    /** The publication as the driver knows it. */
    OutboundStream publication() {
        return branch == null ? stream : branch.stream();
    }

    /** The channel that leads to its peer: of a destination, unless that came by itself. */
    ChannelUri channel() {
        return branch == null || branch.controlId() != 0
                ? publication().channel()
                : branch.channel();
    }

    LogRegistration registration() {
        return registration;
    }

    /** Its log is registered from now on, in the domain of its endpoint. */
    void register(LogRegistration newRegistration) {
        registration = newRegistration;
    }

    Transfer transfer() {
        return transfer;
    }

    /** It is sent over the connection that stands. */
    void begin(Transfer newTransfer) {
        transfer = newTransfer;
    }

    /** Its transfer is over, and not cut off. */
    void end() {
        transfer = null;
    }

    Transfer cutOff() {
        return cutOff;
    }

    /** Whether the driver has closed it. */
    boolean isClosing() {
        return isClosing;
    }

    /** The driver closes it. */
    void close() {
        isClosing = true;
    }

    /** Whether its log is damaged, so that it is sent no more. */
    boolean isBroken() {
        return isBroken;
    }

    /** Its log is damaged. */
    void breakOff() {
        isBroken = true;
    }

    /** The destination is removed. */
    void remove() {
        isRemoved = true;
    }

    /** Whether it was left, and is offered anew when the peer has let go of it. */
    boolean isLeaving() {
        return isLeaving;
    }

    /** The peer has let go of it: it is offered anew. */
    void comeBack() {
        isLeaving = false;
    }

    long resumeToken() {
        return resumeToken;
    }

    /** The time to resume has passed. */
    boolean isGivenUp() {
        return isGivenUp;
    }

    /**
     * The connection is lost: the stream goes on where it was, if it can.
     *
     * @param resumeBy when it must be accepted again.
     */
    void onLost(long resumeBy) {
        Transfer lost = transfer;
        transfer = null;
        isLeaving = false;
        if (lost == null) {
            return;
        }
        if (lost.image().canResume() && !isRemoved) {
            if (cutOff == null) {
                resumeByNs = resumeBy;
            }
            cutOff = lost;
        } else if (branch != null || lost.image().isCutOff() || lost.image().isMistrusted()) {
            forget();
        }
    }

    /** The peer has no image of it any more: its transfer begins anew. */
    void onNotResumed() {
        cutOff = null;
        isGivenUp = false;
    }

    /**
     * It does not go on, and has no transfer: a peer that still has its image must not take the
     * next for the same.
     */
    void forget() {
        onNotResumed();
        resumeToken = TOKENS.nextLong();
    }

    /** The peer was left: what comes next is another stream to it. */
    void onLeft() {
        forget();
        isLeaving = true;
    }

    /** It was accepted: later failures are news again. */
    void onAccepted() {
        told = null;
        cutOff = null;
        isGivenUp = false;
    }

    /** Whether it is expected to go on where it was cut off. */
    boolean isResuming() {
        return cutOff != null && !isGivenUp;
    }

    /** Whether the time to go on has passed just now: told once. */
    boolean isLate(long nowNs) {
        if (!isResuming() || nowNs - resumeByNs < 0) {
            return false;
        }
        isGivenUp = true;
        return true;
    }

    /** Whether its clients were told this last. */
    boolean isTold(String message) {
        return message.equals(told);
    }

    /**
     * Tells its clients that it cannot be sent, unless that is what they were told last. A receiver
     * that came by itself may go as it came: the error log tells of it, where it is an error.
     *
     * @param host the driver.
     * @param rejected whether the peer refuses it.
     * @param message cause and remedy.
     */
    void tell(TransportHost host, boolean rejected, String message) {
        boolean cameByItself = branch != null && branch.controlId() != 0;
        if (!isClosing && !cameByItself && !isTold(message)) {
            told = message;
            host.onPublicationFailed(publication(), rejected, message);
        }
    }

    /** The log as the device knows it, once it is registered. */
    RegisteredMemory log() {
        return registration.memory();
    }

    /** Has the log deregistered: no work request reads it. */
    void closeLog() {
        if (registration != null) {
            registration.end();
            registration = null;
        }
    }
}
