// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.transport.TransportHost;

/**
 * One registration of a log in a domain, from the request until the log is unpinned. Used by the
 * conductor's thread, except for the calls of the domain.
 *
 * <pre>
 *   NEW ─begin─▶ REGISTERING ─registered─▶ IN_PLACE ─end─▶ ENDING ─deregistered─▶ ENDED
 *                  │ │ └──────refused──────────────────────────────────────────────▲ ▲
 *                  │ └─end─▶ UNWANTED ─registered─▶ ENDING                           │
 *                  │             └──────refused, or not begun yet──────────────────┘
 * </pre>
 */
public final class LogRegistration {
    /**
     * Callback for the result, called in a later turn unless the registration was ended in the
     * meantime.
     */
    public interface Outcome {
        /** Called when the log is registered. */
        void onRegistered();

        /**
         * Called when the registration failed.
         *
         * @param failure exception with cause and remedy.
         */
        void onRefused(RuntimeException failure);
    }

    private enum State {
        NEW,
        REGISTERING,
        UNWANTED,
        IN_PLACE,
        ENDING,
        ENDED
    }

    private final LogRegistrations all;
    private final TransportHost host;
    private final Domain domain;
    private final LogBuffers log;
    private final Access access;
    private State state = State.NEW;

    /**
     * Written by the conductor; read by the domain's calls, so that an unwanted log is not pinned.
     */
    private volatile boolean isUnwanted;

    /** Written by the domain's calls; read by the conductor after their results are reported. */
    private RegisteredMemory memory;

    LogRegistration(
            LogRegistrations all,
            TransportHost host,
            Domain domain,
            LogBuffers log,
            Access access) {
        this.all = all;
        this.host = host;
        this.domain = domain;
        this.log = log;
        this.access = access;
    }

    Domain domain() {
        return domain;
    }

    LogBuffers log() {
        return log;
    }

    /** Returns whether the log is registered and can be used. */
    public boolean isInPlace() {
        return state == State.IN_PLACE;
    }

    /** Returns the registered memory of the log, once registered. */
    public RegisteredMemory memory() {
        return memory;
    }

    /** Registers the log, after all its pages are in memory. */
    public void begin(Outcome outcome) {
        state = State.REGISTERING;
        all.onBegun(this);
        host.backgroundOn(log, () -> {}, failure -> onPopulated(failure, outcome));
    }

    /**
     * Registers the log after its pages are in memory. A slow device only delays calls of its own
     * domain.
     */
    private void onPopulated(RuntimeException failure, Outcome outcome) {
        if (failure != null || all.isClosing()) {
            onDone(failure, outcome);
        } else {
            domain.call(this::register, refusal -> onDone(refusal, outcome));
        }
    }

    private void register() {
        if (!isUnwanted) {
            memory = domain.register(log.address(), log.termsLength(), access);
        }
    }

    private void onDone(RuntimeException failure, Outcome outcome) {
        boolean isWanted = state == State.REGISTERING;
        if (memory == null) {
            onEnded();
            if (isWanted) {
                outcome.onRefused(failure);
            }
        } else if (isWanted) {
            state = State.IN_PLACE;
            outcome.onRegistered();
        } else {
            deregister();
        }
    }

    /**
     * Ends the registration, now or once it is in place. Nothing may use the memory afterwards;
     * {@link LogRegistrations#whenUnused} reports when the log is unused. Idempotent.
     */
    public void end() {
        if (all.isClosing()) {
            return; // ended with all others
        }
        if (state == State.IN_PLACE) {
            deregister();
        } else if (state == State.REGISTERING) {
            state = State.UNWANTED;
            isUnwanted = true;
        }
    }

    private void deregister() {
        state = State.ENDING;
        domain.call(memory::close, failure -> onEnded());
    }

    /** Continues even if the device keeps the log pinned: its pages then stay in memory. */
    private void onEnded() {
        state = State.ENDED;
        all.onEnded(this);
    }

    /** Ends the registration when the transport closes; results are no longer reported. */
    void endNow() {
        domain.call(this::release, failure -> {});
        onEnded();
    }

    private void release() {
        if (memory != null) {
            memory.close();
        }
    }
}
