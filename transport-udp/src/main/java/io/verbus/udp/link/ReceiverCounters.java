// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.link;

import io.verbus.cnc.CounterTypes;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/** What the subscribing side counts, of all its images. Written by the receiver. */
public final class ReceiverCounters implements AutoCloseable {
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

    /**
     * @param host whose operators see them.
     */
    public ReceiverCounters(TransportHost host) {
        losses = counter(host, "losses");
        naksSent = counter(host, "NAKs sent");
        gapsSkipped = counter(host, "gaps skipped");
        duplicates = counter(host, "duplicate frames");
        underRuns = counter(host, "flow control under-runs");
        overRuns = counter(host, "flow control over-runs");
        invalid = counter(host, "invalid frames of senders");
        setupsRefused = counter(host, "set-ups refused");
        shortSends = counter(host, "short sends of the receiver");
        roundTrips = counter(host, "round trips measured");
        systemCalls = counter(host, "system calls of the receiver");
        datagramsReceived = counter(host, "datagrams received");
        joinedRows = counter(host, "datagrams received joined (GRO)");
    }

    private static AtomicCounter counter(TransportHost host, String what) {
        return host.counter(CounterTypes.SYSTEM, 0, "udp: " + what);
    }

    @Override
    public void close() {
        losses.close();
        naksSent.close();
        gapsSkipped.close();
        duplicates.close();
        underRuns.close();
        overRuns.close();
        invalid.close();
        setupsRefused.close();
        shortSends.close();
        roundTrips.close();
        systemCalls.close();
        datagramsReceived.close();
        joinedRows.close();
    }
}
