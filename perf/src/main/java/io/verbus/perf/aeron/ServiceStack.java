// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.AeronVersion;
import io.verbus.perf.load.Arrivals;
import io.verbus.perf.load.LocalDriver;
import io.verbus.perf.load.Sink;
import io.verbus.perf.load.Source;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import org.agrona.CloseHelper;
import org.agrona.IoUtil;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Part of Aeron Archive or Aeron Cluster that runs on its process's driver. */
abstract class ServiceStack implements Stack {
    /** Channel between a service and clients on the same driver. */
    static final String IPC = "aeron:ipc?term-length=1m";

    /** Time within which a service must respond; long, because emulated machines are slow. */
    static final long ANSWER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(90);

    private static final String VERSION = "Aeron " + AeronVersion.VERSION;

    final Work work;
    final String directory;

    /** Closed in reverse order. */
    final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private final LocalDriver driver;
    private final Path folder;

    /**
     * @param work work to do.
     * @param driver driver of this process, closed with the stack.
     * @param directory directory of the driver.
     */
    ServiceStack(Work work, LocalDriver driver, String directory) {
        this.work = work;
        this.driver = driver;
        this.directory = directory;
        folder = Worker.files(Path.of(directory));
        parts.push(driver::close);
    }

    /**
     * Raises the time-outs of Aeron's clients; must be called before any class of Aeron is loaded.
     */
    static void bePatient() {
        long timeoutMs = TimeUnit.NANOSECONDS.toMillis(LIVENESS_TIMEOUT_NS);
        System.setProperty("aeron.driver.timeout", Long.toString(timeoutMs));
    }

    /** Returns a directory for a service's files, deleted when the stack is closed. */
    Path folder(String name) {
        return folder.resolve(name);
    }

    @Override
    public String version() {
        return driver.version().equals(VERSION) ? VERSION : VERSION + " on " + driver.version();
    }

    @Override
    public List<? extends Source> sources() {
        throw new UnsupportedOperationException("a service does not measure streams");
    }

    @Override
    public Sink sink(Arrivals[] arrivals) {
        throw new UnsupportedOperationException("a service does not measure streams");
    }

    /** Prints an error that occurred in a part. */
    static void report(Throwable error) {
        System.err.println(error);
    }

    @Override
    public void close() {
        CloseHelper.closeAll(parts);
        IoUtil.delete(folder.toFile(), true);
    }
}
