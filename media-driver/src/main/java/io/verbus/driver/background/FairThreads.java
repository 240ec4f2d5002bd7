// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Threads that run the calls of several owners, in turn by owner, so that an owner with many or
 * slow calls does not delay the others. Calls of one owner begin in the order in which they were
 * added. Idle threads end. Thread-safe.
 */
final class FairThreads {
    private final String name;
    private final int most;
    private final int mostOfOne;

    // All fields are guarded by this object.
    private final FairQueue<Runnable> waiting = new FairQueue<>();

    /** Calls that wait because their owners already use the maximum number of threads. */
    private final FairQueue<Runnable> held = new FairQueue<>();

    private final Map<Object, Integer> running = new HashMap<>();
    private final Set<Thread> threads = new HashSet<>();
    private boolean isAbandoned;

    /**
     * @param name name of each thread.
     * @param most maximum number of threads.
     * @param mostOfOne maximum number of threads for one owner.
     */
    FairThreads(String name, int most, int mostOfOne) {
        this.name = name;
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** Runs a call, which must not throw. */
    synchronized void execute(Object owner, Runnable call) {
        (isHeld(owner) ? held : waiting).add(owner, call);
        if (!waiting.isEmpty() && threads.size() < most) {
            Thread thread = Background.thread(this::work, name);
            threads.add(thread);
            thread.start();
        }
    }

    private boolean isHeld(Object owner) {
        return running.getOrDefault(owner, 0) >= mostOfOne;
    }

    private void work() {
        Object owner = null;
        while (true) {
            Runnable call;
            synchronized (this) {
                if (owner != null) {
                    end(owner);
                }
                if (waiting.isEmpty() || isAbandoned) {
                    threads.remove(Thread.currentThread());
                    notifyAll();
                    return;
                }
                owner = waiting.nextOwner();
                call = waiting.next();
                waiting.endTurn(true);
                begin(owner);
            }
            call.run();
        }
    }

    private void begin(Object owner) {
        running.merge(owner, 1, Integer::sum);
        if (isHeld(owner)) {
            waiting.moveTo(held, owner);
        }
    }

    private void end(Object owner) {
        if (isHeld(owner)) {
            held.moveTo(waiting, owner);
        }
        running.merge(owner, -1, (old, less) -> old + less == 0 ? null : old + less);
    }

    /** Waits for all calls to complete; no more calls may be added. */
    synchronized void finish() throws InterruptedException {
        while (!threads.isEmpty()) {
            wait();
        }
    }

    /** Interrupts and abandons running calls, and runs no more. */
    synchronized void abandon() {
        isAbandoned = true;
        threads.forEach(Thread::interrupt);
    }
}
