// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

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

    /** Times that the kernel did not take all that was to be sent. */
    public final AtomicCounter shortSends;

    /** Datagrams from receivers that no receiver sends. */
    public final AtomicCounter invalid;

    /** Status messages of receivers that came by themselves when there was no room for them. */
    public final AtomicCounter receiversRefused;

    /** System calls of the sender, to send and to look for what receivers say. */
    public final AtomicCounter systemCalls;

    /** Datagrams that were sent. */
    public final AtomicCounter datagramsSent;

    /** Those of them that passed the kernel joined with others (GSO). */
    public final AtomicCounter datagramsJoined;

    /**
     * @param host whose operators see them.
     */
    public SenderCounters(TransportHost host) {
        super(host);
        naksReceived = counter("NAKs received");
        retransmits = counter("datagrams sent again");
        naksIgnored = counter("NAKs ignored");
        shortSends = counter("short sends");
        invalid = counter("invalid frames of receivers");
        receiversRefused = counter("receivers refused");
        systemCalls = counter("system calls of the sender");
        datagramsSent = counter("datagrams sent");
        datagramsJoined = counter("datagrams sent joined (GSO)");
    }
}
