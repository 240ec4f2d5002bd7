// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Standard input of a demo process, which leads to the process that started it: each line {@link
 * #GO} lets it go one step further, and the end of the input ends it, also when the parent was
 * killed.
 */
public final class ParentLink {
    /** The line that {@link #awaitGo} waits for. */
    static final String GO = "go";

    private final Semaphore steps = new Semaphore(0);

    private ParentLink() {}

    /** Begins to read standard input, on a thread of its own. */
    public static ParentLink open() {
        ParentLink link = new ParentLink();
        Thread.ofPlatform().daemon().name("parent-link").start(link::read);
        return link;
    }

    /** Waits for the word to take the next step, for a bounded time. */
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
            System.err.println("standard input failed (" + e.getMessage() + "): ending");
        }
        System.exit(0);
    }
}
