// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/** Counters of the subscribing side, for all its images. Written by the receiver. */
public final class ReceiverCounters extends CounterSet {
    /** Gaps detected. */
    public final AtomicCounter losses;

    /** NAKs sent. */
    public final AtomicCounter naksSent;

    /** Gaps skipped because the subscription is unreliable. */
    public final AtomicCounter gapsSkipped;

    /** Duplicate frames. */
    public final AtomicCounter duplicates;

    /** Datagrams before the position up to which the image is complete. */
    public final AtomicCounter underRuns;

    /** Datagrams beyond the receiver window. */
    public final AtomicCounter overRuns;

    /** Invalid frames from senders. */
    public final AtomicCounter invalid;

    /** Status messages sent. */
    public final AtomicCounter statusMessages;

    /** Error frames sent, for streams that cannot be received. */
    public final AtomicCounter errorFrames;

    /** Heartbeats received: frames with a position but no data. */
    public final AtomicCounter heartbeats;

    /** Bytes received. */
    public final AtomicCounter bytes;

    /**
     * Sends that the kernel did not accept in full, by sender and receiver; incremented atomically.
     */
    public final AtomicCounter allShortSends;

    /** Invalid datagrams received by sender and receiver; incremented atomically. */
    public final AtomicCounter allInvalid;

    /** Setups rejected because an endpoint has too many images or offers. */
    public final AtomicCounter setupsRefused;

    /** Status messages and NAKs that the kernel did not accept. */
    public final AtomicCounter shortSends;

    /** Round-trip times measured. */
    public final AtomicCounter roundTrips;

    /** System calls by the receiver, to receive and to send. */
    public final AtomicCounter systemCalls;

    /** Datagrams received; those joined by the kernel count as one. */
    public final AtomicCounter datagramsReceived;

    /**
     * Buffers with several frames beyond the MTU, that is, datagrams joined by the kernel (GRO).
     */
    public final AtomicCounter joinedRows;

    /** Datagrams from hosts that {@link AllowedSources} does not allow. */
    public final AtomicCounter notAllowed;

    /** Frames from an address other than that of the stream's sender. */
    public final AtomicCounter forged;

    /** Datagrams with a requested kernel timestamp. */
    public final AtomicCounter kernelTimes;

    /** Datagrams with a requested network adapter timestamp. */
    public final AtomicCounter adapterTimes;

    /**
     * @param host driver in which to allocate the counters.
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
        kernelTimes = counter(TransportCounter.UDP_KERNEL_TIMESTAMPS);
        adapterTimes = counter(TransportCounter.UDP_ADAPTER_TIMESTAMPS);
    }

    /** Counts a datagram that the kernel did not accept. */
    public void onShortSend() {
        shortSends.incrementRelease();
        allShortSends.getAndAdd(1);
    }

    /** Counts an invalid frame. */
    public void onInvalid() {
        invalid.incrementRelease();
        allInvalid.getAndAdd(1);
    }
}
