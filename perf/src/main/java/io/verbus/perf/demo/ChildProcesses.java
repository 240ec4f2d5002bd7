// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Processes of a run. Closing ends them in the reverse of their start order; so does an interrupt
 * or termination of this process.
 */
public final class ChildProcesses implements AutoCloseable {
    private final BlockingQueue<ChildEvent> events = new LinkedBlockingQueue<>();
    private final Deque<ChildProcess> started = new ArrayDeque<>();
    private final Runnable afterEnd;
    private final Thread hook = new Thread(this::end, "demo-end");

    private boolean hasEnded;

    /**
     * @param afterEnd action to run after all processes have ended.
     */
    public ChildProcesses(Runnable afterEnd) {
        this.afterEnd = afterEnd;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Events of the processes, in the order in which they are noticed. */
    public BlockingQueue<ChildEvent> events() {
        return events;
    }

    /** Starts a process; see {@link ChildProcess#start}. */
    public synchronized ChildProcess start(String name, JavaProgram program, List<String> arguments)
            throws DemoException {
        if (hasEnded) {
            throw new DemoException("the demo was interrupted: run it again");
        }
        ChildProcess child = ChildProcess.start(name, events, program, arguments);
        started.push(child);
        return child;
    }

    /** Ends all running processes. Idempotent. */
    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is exiting: the shutdown hook is running and has nothing left to do.
            return;
        }
    }

    private synchronized void end() {
        if (!hasEnded) {
            hasEnded = true;
            started.forEach(ChildProcess::end);
            afterEnd.run();
        }
    }
}
