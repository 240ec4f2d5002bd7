// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.logbuffer.LogBuffers;
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

    /** Where logs lie on huge pages; null where they lie in the directory. */
    private final HugePages hugePages;

    private final long lingerNs;
    private final AtomicCounter bytes;
    private final ArrayDeque<Lingering> lingering = new ArrayDeque<>();

    /**
     * @param directory of the driver.
     * @param hugePages that logs are to lie on, or null; closed with this.
     * @param lingerNs for which a file stays after its last user has gone.
     */
    LogFiles(Path directory, HugePages hugePages, long lingerNs, DriverCounters counters) {
        this.directory = directory;
        this.hugePages = hugePages;
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
            LogBuffers log =
                    hugePages == null
                            ? LogBuffers.create(directory.resolve(name), spec)
                            : createOnHugePages(name, spec);
            bytes.getAndAddRelease(log.length());
            return log;
        } catch (BusException e) {
            throw new CommandException(ErrorCode.RESOURCE, e.getMessage(), e);
        }
    }

    private LogBuffers createOnHugePages(String name, LogSpec spec) {
        hugePages.check(spec.termLength());
        LogBuffers log = LogBuffers.create(hugePages.file(name), spec, hugePages.pageLength());
        try {
            hugePages.link(log.file());
        } catch (IOException e) {
            log.close();
            delete(log.file());
            throw new BusException("cannot make a link to " + log.file() + ": " + e, e);
        }
        return log;
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
            delete(file);
        } finally {
            bytes.getAndAddRelease(-log.length());
        }
    }

    private void delete(Path file) {
        try {
            if (hugePages != null) {
                hugePages.unlink(file);
            }
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new BusException("cannot delete " + file + ": " + e, e);
        }
    }

    /** Frees all that linger. */
    void close() {
        while (!lingering.isEmpty()) {
            free(lingering.removeFirst().log);
        }
        if (hugePages != null) {
            hugePages.close();
        }
    }
}
