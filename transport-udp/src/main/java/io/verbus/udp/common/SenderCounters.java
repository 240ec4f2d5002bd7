// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/** Counters of the publishing side, for all its streams. Written by the sender. */
public final class SenderCounters extends CounterSet {
    /** NAKs received. */
    public final AtomicCounter naksReceived;

    /** Datagrams retransmitted. */
    public final AtomicCounter retransmits;

    /**
     * Ranges requested but not retransmitted, because they are not available or were retransmitted
     * just before.
     */
    public final AtomicCounter naksIgnored;

    /** Sends by the sender that the kernel did not accept in full. */
    public final AtomicCounter shortSends;

    /** Invalid datagrams from receivers. */
    public final AtomicCounter invalid;

    /** Status messages of dynamic receivers for which there was no room. */
    public final AtomicCounter receiversRefused;

    /** System calls by the sender, to send and to poll for feedback. */
    public final AtomicCounter systemCalls;

    /** Status messages received. */
    public final AtomicCounter statusMessages;

    /** Status messages with impossible positions. */
    public final AtomicCounter statusMessagesRejected;

    /** Error frames received. */
    public final AtomicCounter errorFrames;

    /** Heartbeats sent: frames with a position but no data. */
    public final AtomicCounter heartbeats;

    /** Bytes sent. */
    public final AtomicCounter bytes;

    /** Bytes retransmitted. */
    public final AtomicCounter retransmittedBytes;

    /**
     * Sends that the kernel did not accept in full, by sender and receiver; incremented atomically.
     */
    public final AtomicCounter allShortSends;

    /** Invalid datagrams received by sender and receiver; incremented atomically. */
    public final AtomicCounter allInvalid;

    /** Datagrams sent. */
    public final AtomicCounter datagramsSent;

    /** Datagrams passed to the kernel joined with others (GSO). */
    public final AtomicCounter datagramsJoined;

    /** Datagrams from hosts that {@link AllowedSources} does not allow. */
    public final AtomicCounter notAllowed;

    /**
     * @param host driver in which to allocate the counters.
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

    /** Counts a send that the kernel did not accept in full. */
    public void onShortSend() {
        shortSends.incrementRelease();
        allShortSends.getAndAdd(1);
    }

    /** Counts an invalid datagram. */
    public void onInvalid() {
        invalid.incrementRelease();
        allInvalid.getAndAdd(1);
    }
}
