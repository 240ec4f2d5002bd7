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

/** A part of Aeron's archive or cluster, on the driver of its process. */
abstract class ServiceStack implements Stack {
    /** Channel between a service and clients of the same driver. */
    static final String IPC = "aeron:ipc?term-length=1m";

    /** How long a service may take to answer: an emulated machine takes its time. */
    static final long ANSWER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(90);

    private static final String VERSION = "Aeron " + AeronVersion.VERSION;

    final Work work;
    final String directory;

    /** Closed in the reverse order. */
    final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private final LocalDriver driver;
    private final Path folder;

    /**
     * @param work to do.
     * @param driver of this process, which ends with the stack.
     * @param directory of the driver.
     */
    ServiceStack(Work work, LocalDriver driver, String directory) {
        this.work = work;
        this.driver = driver;
        this.directory = directory;
        folder = Worker.files(Path.of(directory));
        parts.push(driver::close);
    }

    /** Lets Aeron's clients wait longer; to be called before any class of Aeron's is used. */
    static void bePatient() {
        long timeoutMs = TimeUnit.NANOSECONDS.toMillis(LIVENESS_TIMEOUT_NS);
        System.setProperty("aeron.driver.timeout", Long.toString(timeoutMs));
    }

    /** For what a service keeps, as long as the stack is there. */
    Path folder(String name) {
        return folder.resolve(name);
    }

    @Override
    public String version() {
        return driver.version().equals(VERSION) ? VERSION : VERSION + " on " + driver.version();
    }

    @Override
    public List<? extends Source> sources() {
        throw new UnsupportedOperationException("a service has no streams to saturate");
    }

    @Override
    public Sink sink(Arrivals[] arrivals) {
        throw new UnsupportedOperationException("a service has no streams to saturate");
    }

    /** Says what went wrong in a part. */
    static void report(Throwable error) {
        System.err.println(error);
    }

    @Override
    public void close() {
        CloseHelper.closeAll(parts);
        IoUtil.delete(folder.toFile(), true);
    }
}
