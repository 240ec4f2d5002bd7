// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.transport.TransportHost;

/**
 * One registration of a log in a domain, from when it is asked for until the log is unpinned.
 * Conductor's thread, but for what the domain calls.
 *
 * <pre>
 *   NEW ─begin─▶ REGISTERING ─registered─▶ IN_PLACE ─end─▶ ENDING ─deregistered─▶ ENDED
 *                  │ │ └──────refused──────────────────────────────────────────────▲ ▲
 *                  │ └─end─▶ UNWANTED ─registered─▶ ENDING                           │
 *                  │             └──────refused, or not begun yet──────────────────┘
 * </pre>
 */
public final class LogRegistration {
    /** What asked for it: told in a later turn, unless it was ended meanwhile. */
    public interface Outcome {
        /** It is in place. */
        void onRegistered();

        /**
         * It failed.
         *
         * @param failure with cause and remedy.
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

    /** Written by the conductor; read by the domain's calls: a log that is left is not pinned. */
    private volatile boolean isUnwanted;

    /** Written by the domain's calls; read by the conductor when that is told. */
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

    /** Whether it can be used. */
    public boolean isInPlace() {
        return state == State.IN_PLACE;
    }

    /** The log as the device knows it, once it is in place. */
    public RegisteredMemory memory() {
        return memory;
    }

    /** Has the log registered, once all its pages are in memory. */
    public void begin(Outcome outcome) {
        state = State.REGISTERING;
        all.onBegun(this);
        host.backgroundOn(log, () -> {}, failure -> onPopulated(failure, outcome));
    }

    /** The device may take long, and holds up no log of others. */
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
     * Ends it, now or when it is in place: {@link LogRegistrations#whenUnused} tells when nothing
     * touches the log any more. Nothing may use the memory any more. Idempotent.
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

    /** Where the device keeps the log pinned, all else goes on: its pages stay, mapped or not. */
    private void onEnded() {
        state = State.ENDED;
        all.onEnded(this);
    }

    /** The transport closes: what was done is perhaps not told, and what is done now is not. */
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
