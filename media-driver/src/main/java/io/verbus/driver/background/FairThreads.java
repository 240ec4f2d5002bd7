// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Threads that make calls of several owners, in turn by owner: one that has many calls, or slow
 * ones, holds up no other. Calls of one owner begin in the order in which they were added. A thread
 * ends when there is nothing to do. Any thread.
 */
final class FairThreads {
    private final String name;
    private final int most;
    private final int mostOfOne;

    // All guarded by this.
    private final FairQueue<Runnable> waiting = new FairQueue<>();

    /** Owners that have as many threads as one may have, and the calls that they have besides. */
    private final FairQueue<Runnable> held = new FairQueue<>();

    private final Map<Object, Integer> running = new HashMap<>();
    private final Set<Thread> threads = new HashSet<>();
    private boolean isAbandoned;

    /**
     * @param name of each thread.
     * @param most threads.
     * @param mostOfOne threads that make calls of one owner at a time.
     */
    FairThreads(String name, int most, int mostOfOne) {
        this.name = name;
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** Has a call made, which does not throw. */
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

    /** Waits until all calls are made; no more are added. */
    synchronized void finish() throws InterruptedException {
        while (!threads.isEmpty()) {
            wait();
        }
    }

    /** Leaves the calls that are under way to themselves, interrupted, and makes no more. */
    synchronized void abandon() {
        isAbandoned = true;
        threads.forEach(Thread::interrupt);
    }
}
