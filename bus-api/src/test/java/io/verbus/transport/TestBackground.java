// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.logbuffer.LogBuffers;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A driver's thread for slow calls: runs each call immediately, or in steps that a test schedules.
 * A call on a log waits for the log's pages, which arrive in any order; calls then run, and report,
 * one after the other.
 */
final class TestBackground {
    private record Call(LogBuffers log, Runnable work, Consumer<RuntimeException> then) {}

    /** Null to run everything immediately. */
    private final Random random;

    private final List<Call> unpopulated = new ArrayList<>();
    private final Queue<Call> waiting = new ArrayDeque<>();
    private final Queue<Runnable> done = new ArrayDeque<>();
    private boolean isClosed;

    /**
     * @param random source of the order of steps; null to run everything immediately.
     */
    TestBackground(Random random) {
        this.random = random;
    }

    boolean isLate() {
        return random != null;
    }

    /** Runs a call after those before it. */
    void call(Runnable work, Consumer<RuntimeException> then) {
        add(waiting, new Call(null, work, then));
    }

    /**
     * Runs a call once the pages of a log are in memory.
     *
     * @param log log of the call; null if the call does not concern a log.
     */
    void callLater(LogBuffers log, Runnable work, Consumer<RuntimeException> then) {
        add(unpopulated, new Call(log, work, then));
    }

    private void add(Collection<Call> calls, Call call) {
        if (isClosed) {
            throw new AssertionError("something is to be done when the driver has closed");
        }
        if (random == null) {
            call.then.accept(failureOf(call.work));
        } else {
            calls.add(call);
        }
    }

    private static RuntimeException failureOf(Runnable work) {
        try {
            work.run();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Runs one step, if there is any. */
    void step() {
        switch (random.nextInt(3)) {
            case 0 -> {
                if (!unpopulated.isEmpty()) {
                    waiting.add(unpopulated.remove(random.nextInt(unpopulated.size())));
                }
            }
            case 1 -> {
                if (!waiting.isEmpty()) {
                    make(waiting.remove());
                }
            }
            default -> {
                if (!done.isEmpty()) {
                    done.remove().run();
                }
            }
        }
    }

    private void make(Call call) {
        RuntimeException failure = failureOf(call.work);
        done.add(() -> call.then.accept(failure));
    }

    /** Returns whether a call on a log is still pending. */
    boolean uses(LogBuffers log) {
        return unpopulated.stream().anyMatch(call -> call.log == log)
                || waiting.stream().anyMatch(call -> call.log == log);
    }

    /** Closes: calls that wait for pages are dropped, all others run, and none is reported. */
    void close() {
        waiting.forEach(call -> failureOf(call.work));
        unpopulated.clear();
        waiting.clear();
        done.clear();
        isClosed = true;
    }
}
