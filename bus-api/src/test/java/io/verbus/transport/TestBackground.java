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
 * The thread of a driver for calls that take long: makes each call at once, or in steps that a test
 * takes when it likes. A call on a log waits for the log's pages, which come in any order; then
 * calls are made, and told, one after the other.
 */
final class TestBackground {
    private record Call(LogBuffers log, Runnable work, Consumer<RuntimeException> then) {}

    /** Null: everything happens at once. */
    private final Random random;

    private final List<Call> unpopulated = new ArrayList<>();
    private final Queue<Call> waiting = new ArrayDeque<>();
    private final Queue<Runnable> done = new ArrayDeque<>();
    private boolean isClosed;

    /**
     * @param random order of what happens; null if everything happens at once.
     */
    TestBackground(Random random) {
        this.random = random;
    }

    boolean isLate() {
        return random != null;
    }

    /** Makes a call, after those before it. */
    void call(Runnable work, Consumer<RuntimeException> then) {
        add(waiting, new Call(null, work, then));
    }

    /**
     * Makes a call when the pages of a log are in memory.
     *
     * @param log that the call is about; null if it waits for something else.
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

    /** Lets one thing happen, if there is any. */
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

    /** Whether a call on a log is still to be made. */
    boolean uses(LogBuffers log) {
        return unpopulated.stream().anyMatch(call -> call.log == log)
                || waiting.stream().anyMatch(call -> call.log == log);
    }

    /** The driver closes: what waits for pages is never done, all else is, and nothing is told. */
    void close() {
        waiting.forEach(call -> failureOf(call.work));
        unpopulated.clear();
        waiting.clear();
        done.clear();
        isClosed = true;
    }
}
