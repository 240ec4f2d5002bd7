// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;

import org.agrona.concurrent.status.AtomicCounter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;

/**
 * Makes the log files of a driver directory, and unmaps and deletes each when it has not been used
 * for a while: a client that was just told of it may not have mapped it yet. Conductor's thread.
 */
final class LogFiles {
    private record Lingering(LogBuffers log, long deadlineNs) {}

    private final Path directory;
    private final long lingerNs;
    private final AtomicCounter bytes;
    private final ArrayDeque<Lingering> lingering = new ArrayDeque<>();

    LogFiles(Path directory, long lingerNs, DriverCounters counters) {
        this.directory = directory;
        this.lingerNs = lingerNs;
        this.bytes = counters.system(SystemCounter.LOG_BYTES);
    }

    /**
     * Makes the log of a publication.
     *
     * @throws CommandException if there is too little space.
     */
    LogBuffers publication(LogSpec spec) {
        return create("publication-" + spec.registrationId() + ".log", spec);
    }

    /**
     * Makes the log of an image.
     *
     * @throws CommandException if there is too little space.
     */
    LogBuffers image(LogSpec spec) {
        return create("image-" + spec.registrationId() + ".log", spec);
    }

    private LogBuffers create(String name, LogSpec spec) {
        try {
            LogBuffers log = LogBuffers.create(directory.resolve(name), spec);
            bytes.getAndAddRelease(LogLayout.fileLength(spec.termLength()));
            return log;
        } catch (BusException e) {
            throw new CommandException(ErrorCode.RESOURCE, e.getMessage(), e);
        }
    }

    /** The driver has no more use for a log. */
    void release(LogBuffers log, long nowNs) {
        lingering.addLast(new Lingering(log, nowNs + lingerNs));
    }

    /**
     * Frees logs whose time is over.
     *
     * @return how many.
     */
    int free(long nowNs) {
        int count = 0;
        Lingering first = lingering.peekFirst();
        while (first != null && nowNs - first.deadlineNs >= 0) {
            lingering.removeFirst();
            free(first.log);
            count++;
            first = lingering.peekFirst();
        }
        return count;
    }

    /** Unmaps and deletes a log at once: none of the driver's agents uses it any more. */
    void free(LogBuffers log) {
        Path file = log.file();
        log.close();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new BusException("cannot delete " + file + ": " + e, e);
        } finally {
            bytes.getAndAddRelease(-LogLayout.fileLength(log.spec().termLength()));
        }
    }

    /** Frees all that linger. */
    void close() {
        while (!lingering.isEmpty()) {
            free(lingering.removeFirst().log);
        }
    }
}
