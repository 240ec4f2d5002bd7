// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Connection of a child process to its parent through standard input: each line {@link #GO} permits
 * the next step. The process ends with its input, even if the parent was killed.
 */
public final class ParentLink {
    /** Line that {@link #awaitGo} waits for. */
    static final String GO = "go";

    private final Semaphore steps = new Semaphore(0);

    private ParentLink() {}

    /** Starts a thread that reads standard input, and exits at its end. */
    public static ParentLink open() {
        ParentLink link = new ParentLink();
        follow(System.in, link::take, () -> System.exit(0));
        return link;
    }

    /**
     * Starts a thread that reads the parent's lines.
     *
     * @param in standard input.
     * @param take consumer of each line.
     * @param atEnd action to run once the input has ended.
     */
    public static void follow(InputStream in, Consumer<String> take, Runnable atEnd) {
        Thread.ofPlatform().daemon().name("parent-link").start(() -> read(in, take, atEnd));
    }

    private static void read(InputStream in, Consumer<String> take, Runnable atEnd) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                take.accept(line);
            }
        } catch (IOException ex) {
            System.err.println("cannot read standard input (" + ex.getMessage() + "): exiting");
        }
        atEnd.run();
    }

    private void take(String line) {
        if (line.equals(GO)) {
            steps.release();
        }
    }

    /** Waits for permission to take the next step; returns false on time-out. */
    public boolean awaitGo(long timeout, TimeUnit unit) throws InterruptedException {
        return steps.tryAcquire(timeout, unit);
    }
}
