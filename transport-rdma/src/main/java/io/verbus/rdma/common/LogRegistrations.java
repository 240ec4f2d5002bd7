// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Registers and deregisters logs, which is slow, on threads that may block, and tracks the logs and
 * domains in use: a log stays mapped, and a domain open, until its last registration has ended.
 * Used by the conductor's thread.
 */
public final class LogRegistrations implements AutoCloseable {
    private final TransportHost host;
    private final Set<LogRegistration> all = new LinkedHashSet<>();

    /** Uses per log and per domain. */
    private final Map<Object, Uses> uses = new IdentityHashMap<>();

    private boolean isClosing;

    private static final class Uses {
        private final List<Runnable> waiting = new ArrayList<>();
        private int count;
    }

    /**
     * @param host driver that runs the calls.
     */
    public LogRegistrations(TransportHost host) {
        this.host = host;
    }

    /**
     * Creates a registration that {@link LogRegistration#begin} starts.
     *
     * @param domain domain to register in; {@link #close(Domain)} waits for the registration's end.
     * @param log log to register, which stays mapped until the registration has ended.
     * @param access side that may write the log.
     * @return the registration.
     */
    public LogRegistration of(Domain domain, LogBuffers log, Access access) {
        return new LogRegistration(this, host, domain, log, access);
    }

    /** Closes a domain once its last registration has ended. */
    public void close(Domain domain) {
        whenUnused(domain, domain::close);
    }

    /**
     * Runs an action once the last registration of a log has ended, immediately if there is none.
     */
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

    /** Marks the transport closing: the driver no longer populates logs for it. */
    public void onClosing() {
        isClosing = true;
    }

    boolean isClosing() {
        return isClosing;
    }

    /**
     * Ends all registrations, after the queue pairs are destroyed; the fabric waits for them when
     * it closes. If a queue pair that may access the logs still exists, the logs stay registered
     * and mapped.
     */
    @Override
    public void close() {
        onClosing();
        Set<LogBuffers> kept = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<String> devices = new TreeSet<>();
        for (LogRegistration registration : List.copyOf(all)) {
            if (registration.domain().isInUse()) {
                kept.add(registration.log());
                devices.add(registration.domain().device());
            } else {
                registration.endNow();
            }
        }
        if (!kept.isEmpty()) {
            kept.forEach(host::keepMapped);
            host.onError(
                    new TransportException(
                            "RDMA device "
                                    + String.join(", ", devices)
                                    + " did not destroy a queue pair in time, so the memory of "
                                    + kept.size()
                                    + " logs remains in use until this process ends: see the"
                                    + " kernel's log"));
        }
    }
}
