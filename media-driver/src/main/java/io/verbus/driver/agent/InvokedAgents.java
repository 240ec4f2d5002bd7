// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import io.verbus.driver.status.DriverFailure;
import io.verbus.driver.status.LogFaults;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * Runs the driver's agents on the application's thread, in the order in which a message passes:
 * outgoing messages are sent first, and incoming messages are received last, just before the
 * application polls. The conductor neither sends nor receives, and runs only occasionally, because
 * its time would be added between arrival and poll. All agents share one clock read. An exception
 * in one agent is recorded and does not stop the others. An {@link Error} ends the driver, and is
 * thrown to the application.
 */
final class InvokedAgents implements Agent {
    /** Interval between the conductor's turns, if the application invokes often enough. */
    static final long CONDUCT_INTERVAL_NS = 10_000;

    /** Number of cycles between the conductor's turns, if cycles are long. */
    static final int CONDUCT_CYCLES = 8;

    /** Maximum time between the conductor's turns, however long the cycles are. */
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
     * @param clock monotonic clock.
     * @param errors error handler.
     * @param failure failure of the driver, thrown to the invoking thread.
     * @param faults handler of faults in logs.
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

    /** Returns the driver's failure. A failed driver does nothing, however often it is invoked. */
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

    /** Closes the agents; the conductor is last, because it frees what the others use. */
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
