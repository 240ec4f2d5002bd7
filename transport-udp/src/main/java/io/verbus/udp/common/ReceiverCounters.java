// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/** What the subscribing side counts, of all its images. Written by the receiver. */
public final class ReceiverCounters extends CounterSet {
    /** Gaps that were found. */
    public final AtomicCounter losses;

    /** NAKs that were sent. */
    public final AtomicCounter naksSent;

    /** Gaps that were skipped, because the subscription is not reliable. */
    public final AtomicCounter gapsSkipped;

    /** Frames that were there already. */
    public final AtomicCounter duplicates;

    /** Datagrams behind the position up to which the image is complete. */
    public final AtomicCounter underRuns;

    /** Datagrams past what the window allows. */
    public final AtomicCounter overRuns;

    /** Frames that no sender sends. */
    public final AtomicCounter invalid;

    /** Status messages that were sent. */
    public final AtomicCounter statusMessages;

    /** Frames that said that a stream cannot be taken. */
    public final AtomicCounter errorFrames;

    /** Frames that said how far a stream is, without data. */
    public final AtomicCounter heartbeats;

    /** Bytes that were received. */
    public final AtomicCounter bytes;

    /** Times that the kernel did not take all, of sender and receiver: added to atomically. */
    public final AtomicCounter allShortSends;

    /** Invalid datagrams, of sender and receiver: added to atomically. */
    public final AtomicCounter allInvalid;

    /** Set-ups that were refused because an endpoint has too many images or offers. */
    public final AtomicCounter setupsRefused;

    /** Status messages and NAKs that the kernel did not take. */
    public final AtomicCounter shortSends;

    /** Round trip times that were measured. */
    public final AtomicCounter roundTrips;

    /** System calls of the receiver, to receive and to answer. */
    public final AtomicCounter systemCalls;

    /** Datagrams that were received; those that the kernel has joined count as one. */
    public final AtomicCounter datagramsReceived;

    /** Rows of frames longer than the MTU: the kernel has joined datagrams (GRO). */
    public final AtomicCounter joinedRows;

    /** Datagrams of hosts that {@link AllowedSources} does not allow. */
    public final AtomicCounter notAllowed;

    /** Frames of streams from addresses other than that of the stream's sender. */
    public final AtomicCounter forged;

    /**
     * @param host whose operators see them.
     */
    public ReceiverCounters(TransportHost host) {
        super(host);
        losses = counter(TransportCounter.UDP_LOSSES);
        naksSent = counter(SystemCounter.NAKS_SENT);
        gapsSkipped = counter(SystemCounter.LOSS_GAP_FILLS);
        duplicates = counter(TransportCounter.UDP_DUPLICATES);
        underRuns = counter(SystemCounter.FLOW_CONTROL_UNDER_RUNS);
        overRuns = counter(SystemCounter.FLOW_CONTROL_OVER_RUNS);
        statusMessages = counter(SystemCounter.STATUS_MESSAGES_SENT);
        errorFrames = counter(SystemCounter.ERROR_FRAMES_SENT);
        heartbeats = counter(SystemCounter.HEARTBEATS_RECEIVED);
        bytes = counter(SystemCounter.BYTES_RECEIVED);
        allShortSends = counter(SystemCounter.SHORT_SENDS);
        allInvalid = counter(SystemCounter.INVALID_PACKETS);
        invalid = counter(TransportCounter.UDP_INVALID_FROM_SENDERS);
        setupsRefused = counter(TransportCounter.UDP_SETUPS_REFUSED);
        shortSends = counter(TransportCounter.UDP_RECEIVER_SHORT_SENDS);
        roundTrips = counter(TransportCounter.UDP_ROUND_TRIPS);
        systemCalls = counter(TransportCounter.UDP_RECEIVER_SYSTEM_CALLS);
        datagramsReceived = counter(TransportCounter.UDP_DATAGRAMS_RECEIVED);
        joinedRows = counter(TransportCounter.UDP_DATAGRAMS_RECEIVED_JOINED);
        notAllowed = counter(TransportCounter.UDP_RECEIVER_NOT_ALLOWED);
        forged = counter(TransportCounter.UDP_FORGED);
    }

    /** The kernel did not take what was to be sent. */
    public void onShortSend() {
        shortSends.incrementRelease();
        allShortSends.getAndAdd(1);
    }

    /** A frame came that no sender sends. */
    public void onInvalid() {
        invalid.incrementRelease();
        allInvalid.getAndAdd(1);
    }
}
