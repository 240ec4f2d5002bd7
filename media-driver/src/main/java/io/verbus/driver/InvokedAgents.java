// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * The driver's agents where the application's thread drives them, in the order in which a message
 * passes: what was offered is sent first, and what arrives is received last, just before the
 * application polls. The conductor has no part in either, and gets a turn now and then: the time
 * that it takes would be spent between arrival and poll. One clock read serves all. An error in one
 * of them is recorded and keeps no other from its turn.
 */
final class InvokedAgents implements Agent {
    /** Between the conductor's turns, if the application comes that often. */
    static final long CONDUCT_INTERVAL_NS = 10_000;

    private final NetworkAgent sender;
    private final NetworkAgent receiver;
    private final Agent conductor;
    private final NanoClock clock;
    private final ErrorHandler errors;
    private long conductedNs;

    /**
     * @param clock monotonic.
     * @param errors where errors are recorded.
     */
    InvokedAgents(
            NetworkAgent sender,
            NetworkAgent receiver,
            Agent conductor,
            NanoClock clock,
            ErrorHandler errors) {
        this.sender = sender;
        this.receiver = receiver;
        this.conductor = conductor;
        this.clock = clock;
        this.errors = errors;
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
        long nowNs = clock.nanoTime();
        int work = work(sender, nowNs);
        if (nowNs - conductedNs >= CONDUCT_INTERVAL_NS) {
            conductedNs = nowNs;
            work += conduct();
        }
        return work + work(receiver, nowNs);
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
