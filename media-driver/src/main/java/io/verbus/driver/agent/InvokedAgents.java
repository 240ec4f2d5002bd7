// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import io.verbus.driver.status.DriverFailure;
import io.verbus.driver.status.LogFaults;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * The driver's agents where the application's thread drives them, in the order in which a message
 * passes: what was offered is sent first, and what arrives is received last, just before the
 * application polls. The conductor has no part in either, and gets a turn now and then: the time
 * that it takes would be spent between arrival and poll. One clock read serves all. An exception in
 * one of them is recorded and keeps no other from its turn. An {@link Error} ends the driver, and
 * is thrown to the application.
 */
final class InvokedAgents implements Agent {
    /** Between the conductor's turns, if the application comes that often. */
    static final long CONDUCT_INTERVAL_NS = 10_000;

    /** Cycles between the conductor's turns, where cycles are long. */
    static final int CONDUCT_CYCLES = 8;

    /** Longest wait for those cycles. */
    static final long LATEST_CONDUCT_NS = 100_000;

    private final NetworkAgent sender;
    private final NetworkAgent receiver;
    private final Agent conductor;
    private final NanoClock clock;
    private final ErrorHandler errors;
    private final DriverFailure failure;
    private final LogFaults faults;
    private long conductedNs;
    private int cycles = CONDUCT_CYCLES;

    /**
     * @param clock monotonic.
     * @param errors where errors are recorded.
     * @param failure of the driver, thrown to whoever invokes.
     * @param faults told of faults in logs.
     */
    InvokedAgents(
            NetworkAgent sender,
            NetworkAgent receiver,
            Agent conductor,
            NanoClock clock,
            ErrorHandler errors,
            DriverFailure failure,
            LogFaults faults) {
        this.sender = sender;
        this.receiver = receiver;
        this.conductor = conductor;
        this.clock = clock;
        this.errors = errors;
        this.failure = failure;
        this.faults = faults;
        conductedNs = clock.nanoTime() - CONDUCT_INTERVAL_NS;
    }

    @Override
    public void onStart() {
        sender.onStart();
        receiver.onStart();
        conductor.onStart();
    }

    @Override
    public int doWork() {
        if (failure.error() != null) {
            throw failed();
        }
        try {
            return cycle();
        } catch (Error e) {
            if (faults.take(e)) {
                return 1;
            }
            failure.fail(e);
            throw e;
        }
    }

    /** A driver that has failed does nothing more, however often it is invoked. */
    private Error failed() {
        Throwable cause = failure.error();
        return cause instanceof Error error ? error : new Error(cause);
    }

    private int cycle() {
        long nowNs = clock.nanoTime();
        int work = work(sender, nowNs);
        if (isConductorDue(nowNs - conductedNs)) {
            conductedNs = nowNs;
            cycles = 0;
            work += conduct();
        }
        return work + work(receiver, nowNs);
    }

    private boolean isConductorDue(long sinceNs) {
        boolean isTurnOfCycle = ++cycles >= CONDUCT_CYCLES;
        return sinceNs >= CONDUCT_INTERVAL_NS && (isTurnOfCycle || sinceNs >= LATEST_CONDUCT_NS);
    }

    private int work(NetworkAgent agent, long nowNs) {
        try {
            return agent.work(nowNs);
        } catch (RuntimeException e) {
            errors.onError(e);
            return 0;
        }
    }

    private int conduct() {
        try {
            return conductor.doWork();
        } catch (Exception e) {
            errors.onError(e);
            return 0;
        }
    }

    /** The conductor is last: it frees what the others use. */
    @Override
    public void onClose() {
        sender.onClose();
        receiver.onClose();
        conductor.onClose();
    }

    @Override
    public String roleName() {
        return "driver";
    }
}
