// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

import io.verbus.BusException;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Processes of a run, whose lines and exits become events of one queue. Closing ends them in the
 * reverse of their start order; so does an interrupt or termination of this process.
 */
public final class ChildProcesses implements AutoCloseable {
    private final BlockingQueue<ChildEvent> events = new LinkedBlockingQueue<>();
    private final Deque<ChildProcess> started = new ArrayDeque<>();
    private final Runnable afterEnd;
    private final Thread hook = new Thread(this::end, "processes-end");

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

    /**
     * Starts a process. Its standard error is passed on, prefixed with its name.
     *
     * @param name display name.
     * @param program program to run.
     * @param arguments arguments of the program.
     * @throws BusException if the process cannot be started, or this process is exiting.
     */
    public synchronized ChildProcess start(
            String name, JavaProgram program, List<String> arguments) {
        if (hasEnded) {
            throw new BusException("this run was interrupted: start it again");
        }
        ChildProcess child =
                new ChildProcess(
                        name,
                        program.command(arguments),
                        line -> System.err.println(name + ": " + line),
                        () -> {});
        started.push(child);
        Thread.ofPlatform().daemon().name(name + "-output").start(() -> follow(child));
        return child;
    }

    private void follow(ChildProcess child) {
        try {
            for (String line = child.readLine(); line != null; line = child.readLine()) {
                events.add(new ChildEvent.Said(child, line));
            }
        } catch (IOException ex) {
            System.err.println(child.name() + ": cannot read its output: " + ex.getMessage());
        }
        events.add(new ChildEvent.Ended(child, child.awaitExit()));
    }

    /** Ends all running processes. Idempotent. */
    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ex) {
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
