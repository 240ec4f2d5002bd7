// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The processes of a run. They end with it in the reverse of the order in which they were started,
 * also when this process is interrupted or terminated.
 */
public final class ChildProcesses implements AutoCloseable {
    private final BlockingQueue<ChildEvent> events = new LinkedBlockingQueue<>();
    private final Deque<ChildProcess> started = new ArrayDeque<>();
    private final Runnable afterEnd;
    private final Thread hook = new Thread(this::end, "demo-end");

    private boolean hasEnded;

    /**
     * @param afterEnd to run once all have hasEnded.
     */
    public ChildProcesses(Runnable afterEnd) {
        this.afterEnd = afterEnd;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** What happens to the processes, in the order in which it is noticed. */
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

    /** Ends those that still run. Idempotent. */
    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending and the hook, which is running, finds nothing left to do.
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
