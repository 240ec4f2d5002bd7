// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;
import io.verbus.transport.TransportHost;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Has logs registered and deregistered, which takes long, by threads that may wait, and knows which
 * logs and domains are in use by it: a log stays mapped, and a domain open, until the last of their
 * registrations has ended. Conductor's thread.
 */
public final class LogRegistrations implements AutoCloseable {
    private final TransportHost host;
    private final Set<LogRegistration> all = new LinkedHashSet<>();

    /** Of logs and domains. */
    private final Map<Object, Uses> uses = new IdentityHashMap<>();

    private boolean isClosing;

    private static final class Uses {
        private final List<Runnable> waiting = new ArrayList<>();
        private int count;
    }

    /**
     * @param host the driver, which does it.
     */
    public LogRegistrations(TransportHost host) {
        this.host = host;
    }

    /**
     * A registration that {@link LogRegistration#begin} begins.
     *
     * @param domain that stays open until it has ended, if {@link #close(Domain)} closes it.
     * @param log that stays mapped until it has ended.
     * @param access which side may write the log.
     * @return the registration.
     */
    public LogRegistration of(Domain domain, LogBuffers log, Access access) {
        return new LogRegistration(this, host, domain, log, access);
    }

    /** Closes a domain when the last registration in it has ended. */
    public void close(Domain domain) {
        whenUnused(domain, domain::close);
    }

    /** Does something when the last registration of a log has ended: at once if there is none. */
    public void whenUnused(LogBuffers log, Runnable then) {
        whenUnused((Object) log, then);
    }

    private void whenUnused(Object used, Runnable then) {
        Uses its = uses.get(used);
        if (its == null) {
            then.run();
        } else {
            its.waiting.add(then);
        }
    }

    void onBegun(LogRegistration registration) {
        all.add(registration);
        uses.computeIfAbsent(registration.domain(), domain -> new Uses()).count++;
        uses.computeIfAbsent(registration.log(), log -> new Uses()).count++;
    }

    void onEnded(LogRegistration registration) {
        if (all.remove(registration)) {
            release(registration.log());
            release(registration.domain());
        }
    }

    private void release(Object used) {
        Uses its = uses.get(used);
        its.count--;
        if (its.count == 0) {
            uses.remove(used);
            its.waiting.forEach(Runnable::run);
        }
    }

    /** The transport closes: the driver populates no log for it any more. */
    public void onClosing() {
        isClosing = true;
    }

    boolean isClosing() {
        return isClosing;
    }

    /** Ends all that there are: the fabric, when it closes, waits for it. */
    @Override
    public void close() {
        onClosing();
        List.copyOf(all).forEach(LogRegistration::endNow);
    }
}
