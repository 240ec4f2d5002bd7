// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/** What the publishing side counts, of all its streams. Written by the sender. */
public final class SenderCounters extends CounterSet {
    /** NAKs that arrived. */
    public final AtomicCounter naksReceived;

    /** Datagrams that were sent again. */
    public final AtomicCounter retransmits;

    /** Ranges that were asked for and not sent again: not there, or sent just before. */
    public final AtomicCounter naksIgnored;

    /** Times that the kernel did not take all that the sender was to send. */
    public final AtomicCounter shortSends;

    /** Datagrams from receivers that no receiver sends. */
    public final AtomicCounter invalid;

    /** Status messages of receivers that came by themselves when there was no room for them. */
    public final AtomicCounter receiversRefused;

    /** System calls of the sender, to send and to look for what receivers say. */
    public final AtomicCounter systemCalls;

    /** Status messages that arrived. */
    public final AtomicCounter statusMessages;

    /** Status messages of positions where no receiver of the stream can be. */
    public final AtomicCounter statusMessagesRejected;

    /** Frames of receivers that cannot take a stream. */
    public final AtomicCounter errorFrames;

    /** Frames that say how far a stream is, without data. */
    public final AtomicCounter heartbeats;

    /** Bytes that were sent. */
    public final AtomicCounter bytes;

    /** Bytes that were sent again. */
    public final AtomicCounter retransmittedBytes;

    /** Times that the kernel did not take all, of sender and receiver: added to atomically. */
    public final AtomicCounter allShortSends;

    /** Invalid datagrams, of sender and receiver: added to atomically. */
    public final AtomicCounter allInvalid;

    /** Datagrams that were sent. */
    public final AtomicCounter datagramsSent;

    /** Those of them that passed the kernel joined with others (GSO). */
    public final AtomicCounter datagramsJoined;

    /** Datagrams of hosts that {@link AllowedSources} does not allow. */
    public final AtomicCounter notAllowed;

    /**
     * @param host whose operators see them.
     */
    public SenderCounters(TransportHost host) {
        super(host);
        naksReceived = counter(SystemCounter.NAKS_RECEIVED);
        retransmits = counter(SystemCounter.RETRANSMITS_SENT);
        retransmittedBytes = counter(SystemCounter.RETRANSMITTED_BYTES);
        statusMessages = counter(SystemCounter.STATUS_MESSAGES_RECEIVED);
        statusMessagesRejected = counter(SystemCounter.STATUS_MESSAGES_REJECTED);
        errorFrames = counter(SystemCounter.ERROR_FRAMES_RECEIVED);
        heartbeats = counter(SystemCounter.HEARTBEATS_SENT);
        bytes = counter(SystemCounter.BYTES_SENT);
        allShortSends = counter(SystemCounter.SHORT_SENDS);
        allInvalid = counter(SystemCounter.INVALID_PACKETS);
        naksIgnored = counter(TransportCounter.UDP_NAKS_IGNORED);
        shortSends = counter(TransportCounter.UDP_SENDER_SHORT_SENDS);
        invalid = counter(TransportCounter.UDP_INVALID_FROM_RECEIVERS);
        receiversRefused = counter(TransportCounter.UDP_RECEIVERS_REFUSED);
        systemCalls = counter(TransportCounter.UDP_SENDER_SYSTEM_CALLS);
        datagramsSent = counter(TransportCounter.UDP_DATAGRAMS_SENT);
        datagramsJoined = counter(TransportCounter.UDP_DATAGRAMS_SENT_JOINED);
        notAllowed = counter(TransportCounter.UDP_SENDER_NOT_ALLOWED);
    }

    /** The kernel did not take all that was to be sent. */
    public void onShortSend() {
        shortSends.incrementRelease();
        allShortSends.getAndAdd(1);
    }

    /** A datagram came that no receiver sends. */
    public void onInvalid() {
        invalid.incrementRelease();
        allInvalid.getAndAdd(1);
    }
}
