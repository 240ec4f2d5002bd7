// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Connection of a demo process to its parent through standard input: each line {@link #GO} permits
 * the next step. The process ends with its input, even if the parent was killed.
 */
public final class ParentLink {
    /** Line that {@link #awaitGo} waits for. */
    static final String GO = "go";

    private final Semaphore steps = new Semaphore(0);

    private ParentLink() {}

    /** Starts a thread that reads standard input. */
    public static ParentLink open() {
        ParentLink link = new ParentLink();
        Thread.ofPlatform().daemon().name("parent-link").start(link::read);
        return link;
    }

    /** Waits for permission to take the next step; returns false on time-out. */
    public boolean awaitGo(long timeout, TimeUnit unit) throws InterruptedException {
        return steps.tryAcquire(timeout, unit);
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(GO)) {
                    steps.release();
                }
            }
        } catch (IOException e) {
            System.err.println("cannot read standard input (" + e.getMessage() + "): exiting");
        }
        System.exit(0);
    }
}
