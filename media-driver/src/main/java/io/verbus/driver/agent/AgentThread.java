// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import io.verbus.BusException;
import io.verbus.driver.config.CpuAffinity;
import io.verbus.driver.config.DriverConfig.AgentConfig;
import io.verbus.driver.status.DriverFailure;
import io.verbus.driver.status.LogFaults;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An agent and its thread, which is bound to a CPU before it begins. An exception in a cycle is
 * recorded, and the next cycle begins. An {@link Error} ends the driver: the thread stops working
 * and waits to be closed in the agents' order, because other agents may use its resources. A fault
 * in a log's memory is handled differently; see {@link LogFaults}.
 */
final class AgentThread {
    /**
     * Time after which an agent that does not end is interrupted, because it may be blocked in a
     * call.
     */
    private static final long INTERRUPT_MS = TimeUnit.SECONDS.toMillis(3);

    private final Agent agent;
    private final int cpu;
    private final IdleStrategy idle;
    private final ErrorHandler errors;
    private final DriverFailure failure;
    private final LogFaults faults;
    private final Thread thread;

    /** Completed by the agent's thread; awaited by the launching thread. */
    private final CompletableFuture<Void> started = new CompletableFuture<>();

    /** Written by the closing thread; read by the agent's thread. */
    private volatile boolean isClosing;

    AgentThread(
            Agent agent,
            AgentConfig config,
            IdleStrategy idle,
            ErrorHandler errors,
            DriverFailure failure,
            LogFaults faults) {
        this.agent = agent;
        this.cpu = config.cpu();
        this.idle = idle;
        this.errors = errors;
        this.failure = failure;
        this.faults = faults;
        thread = Thread.ofPlatform().name("verbus-" + agent.roleName()).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /**
     * Waits until the agent has begun.
     *
     * @throws BusException if the thread cannot be bound to its CPU.
     */
    void awaitStarted() {
        try {
            started.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof BusException cause ? cause : e;
        }
    }

    private void run() {
        try {
            CpuAffinity.bind(agent.roleName(), cpu);
            agent.onStart();
            started.complete(null);
        } catch (RuntimeException | Error e) {
            // The launching thread throws the error, and closes all agents in order.
            started.completeExceptionally(e);
            awaitClose();
        }
        while (!isClosing) {
            try {
                cycle();
            } catch (Throwable thrown) {
                onThrown(thrown);
            }
        }
        try {
            agent.onClose();
        } catch (RuntimeException | Error e) {
            errors.onError(e);
        }
    }

    /**
     * Runs one cycle. Everything it throws must reach the handler, because a fault may also be
     * thrown after a cycle.
     */
    private void cycle() throws Exception {
        while (!isClosing) {
            idle.idle(agent.doWork());
        }
    }

    private void onThrown(Throwable thrown) {
        if (faults.take(thrown)) {
            return;
        }
        if (thrown instanceof Error) {
            failure.fail(thrown);
            awaitClose();
            return;
        }
        try {
            errors.onError(thrown);
        } catch (Error e) {
            failure.fail(e);
            awaitClose();
        }
    }

    private void awaitClose() {
        while (!isClosing) {
            LockSupport.park(this);
        }
    }

    /** Stops the agent, and waits until it has ended. Idempotent. */
    void close() {
        isClosing = true;
        LockSupport.unpark(thread);
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                if (!thread.join(java.time.Duration.ofMillis(INTERRUPT_MS))) {
                    thread.interrupt();
                }
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
