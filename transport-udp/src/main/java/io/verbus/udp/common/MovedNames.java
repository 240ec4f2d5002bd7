// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.cnc.SystemCounter;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.SystemUtil;
import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Watches host names that may have moved or are unknown. While no peer responds at its address, a
 * name is looked up again in the background: every second at first, then once per time-out. Used by
 * the conductor's thread.
 */
public final class MovedNames {
    private static final long INTERVAL_NS = 1_000_000_000;

    private static final class Watched {
        private final Object owner;
        private final ChannelUri channel;
        private final String key;
        private final Endpoint named;
        private final BooleanSupplier isSilent;
        private final Consumer<InetSocketAddress> moved;
        private InetSocketAddress address;
        private boolean wasHeard;
        private long heardNs;
        private long askedNs;
        private boolean isAsking;

        private Watched(
                Object owner,
                ChannelUri channel,
                String key,
                Endpoint named,
                InetSocketAddress address,
                BooleanSupplier isSilent,
                Consumer<InetSocketAddress> moved,
                long nowNs) {
            this.owner = owner;
            this.channel = channel;
            this.key = key;
            this.named = named;
            this.address = address;
            this.isSilent = isSilent;
            this.moved = moved;
            this.heardNs = nowNs;
            this.askedNs = nowNs;
        }

        private void heard(long nowNs) {
            wasHeard = true;
            heardNs = nowNs;
            askedNs = nowNs;
        }

        /** Returns whether no peer responds at the address, as far as is known. */
        private boolean isQuiet(long nowNs) {
            return !wasHeard || nowNs - heardNs > INTERVAL_NS;
        }

        private boolean isDue(long timeoutNs, long nowNs) {
            boolean hasJustGone = wasHeard && nowNs - heardNs < timeoutNs;
            return !isAsking && nowNs - askedNs >= (hasJustGone ? INTERVAL_NS : timeoutNs);
        }
    }

    private final TransportHost host;
    private final Resolver resolver;
    private final AtomicCounter changes;
    private final long timeoutNs;
    private final List<Watched> all = new ArrayList<>();
    private long nowNs;
    private long checkedNs;

    /**
     * @param timeoutNs silence after which a name is looked up less often, and the interval of
     *     these lookups.
     * @param nowNs monotonic time.
     */
    public MovedNames(TransportHost host, long timeoutNs, long nowNs) {
        this.host = host;
        this.resolver = new Resolver(host);
        this.changes = host.counter(SystemCounter.RESOLUTION_CHANGES);
        this.timeoutNs = timeoutNs;
        this.nowNs = nowNs;
        this.checkedNs = nowNs;
    }

    /**
     * Watches an address.
     *
     * @param owner key with which to {@link #forget} the address.
     * @param channel channel that names the host, for error messages.
     * @param key channel parameter that names the host.
     * @param named host and port to look up; an IP address never changes.
     * @param address current address; unresolved if the name is unknown, which is logged.
     * @param isSilent returns whether no peer responds there now.
     * @param moved called with the new address of the same family, or the first one; throws a
     *     {@link TransportException} if nothing can be sent there.
     */
    public void watch(
            Object owner,
            ChannelUri channel,
            String key,
            Endpoint named,
            InetSocketAddress address,
            BooleanSupplier isSilent,
            Consumer<InetSocketAddress> moved) {
        all.add(new Watched(owner, channel, key, named, address, isSilent, moved, nowNs));
        if (address.isUnresolved()) {
            host.onError(
                    channel,
                    unknown(
                            named,
                            "WARN: the host of "
                                    + key
                                    + "="
                                    + named
                                    + " cannot be resolved; the driver retries every "
                                    + SystemUtil.formatDuration(timeoutNs)
                                    + ": correct the name, or add it to the name server"));
        }
    }

    /** Stops watching the addresses of an owner. */
    public void forget(Object owner) {
        all.removeIf(each -> each.owner == owner);
    }

    /**
     * Updates the addresses of an owner whose names were just looked up for another channel: the
     * new address replaces an old one at which no peer responds.
     */
    public void answered(Object owner) {
        for (Watched each : List.copyOf(all)) {
            if (each.owner != owner || each.isAsking) {
                continue;
            }
            if (!each.isSilent.getAsBoolean()) {
                each.heard(nowNs);
            } else if (each.isQuiet(nowNs)) {
                answered(each);
            }
        }
    }

    /** Runs the duty cycle; returns the work count. */
    public int work(long now) {
        nowNs = now;
        if (now - checkedNs < INTERVAL_NS) {
            return 0;
        }
        checkedNs = now;
        int count = 0;
        for (Watched each : all) {
            if (!each.isSilent.getAsBoolean()) {
                each.heard(now);
            } else if (each.isDue(timeoutNs, now)) {
                each.isAsking = true;
                each.askedNs = now;
                resolver.lookUp(each.channel, List.of(each.named.host()), () -> answered(each));
                count++;
            }
        }
        return count;
    }

    private void answered(Watched each) {
        each.isAsking = false;
        InetSocketAddress now = host.address(each.named.host(), each.named.port());
        if (!all.contains(each) || now.equals(each.address)) {
            return;
        }
        if (now.isUnresolved()) {
            host.onError(
                    each.channel,
                    unknown(
                            each.named,
                            "WARN: the host of "
                                    + each.key
                                    + "="
                                    + each.named
                                    + " can no longer be resolved, and no peer answers at the last"
                                    + " known address "
                                    + each.address
                                    + ": check that the name server still has the name"));
        } else if (!each.address.isUnresolved()
                && now.getAddress().getClass() != each.address.getAddress().getClass()) {
            host.onError(
                    each.channel,
                    new TransportException(
                            "host name '"
                                    + each.named.host()
                                    + "' moved from "
                                    + each.address
                                    + " to "
                                    + now
                                    + ", an address of the other IP version, to which the existing"
                                    + " socket cannot send: add the publication or subscription"
                                    + " again"));
        } else {
            move(each, now);
        }
    }

    private void move(Watched each, InetSocketAddress now) {
        try {
            each.moved.accept(now);
        } catch (TransportException e) {
            host.onError(each.channel, e); // the name will be looked up again
            return;
        }
        each.address = now;
        changes.incrementRelease();
    }

    private static TransportException unknown(Endpoint named, String message) {
        return new TransportException(message, new UnknownHostException(named.host()));
    }
}
