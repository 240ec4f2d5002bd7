// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.cnc.SystemCounter;
import io.verbus.directory.HeldPath;
import io.verbus.driver.background.Background;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Creates the log files in a driver directory. Unmaps and deletes each only after it has been
 * unused for a while, because a client that has just been notified of the log may not have mapped
 * it yet. Slow work runs in the background. Used by the conductor's thread.
 */
public final class LogFiles {
    private record Lingering(LogBuffers log, long deadlineNs) {}

    private final HeldPath publications;
    private final HeldPath images;

    /** Huge pages for logs; null if logs are in the directory. */
    private final HugePages hugePages;

    private final long pageLength;
    private final long lingerNs;
    private final Background background;
    private final ErrorHandler errors;
    private final AtomicCounter bytes;
    private final Shares shares;
    private final LogSpace space = new LogSpace();
    private final Map<LogCreation, LogCreation> creations = new IdentityHashMap<>();
    private final Map<LogBuffers, LogPopulation> populations = new IdentityHashMap<>();

    /** Shares in which publication logs count. */
    private final Map<LogBuffers, Long> payers = new IdentityHashMap<>();

    private final ArrayDeque<Lingering> lingering = new ArrayDeque<>();

    /** Logs that stay mapped when the driver closes. */
    private final Set<LogBuffers> kept = Collections.newSetFromMap(new IdentityHashMap<>());

    /**
     * @param directory directory of the driver.
     * @param hugePages huge pages for logs, or null; closed with this object.
     * @param pageLength page length in bytes of files without huge pages.
     * @param lingerNs nanoseconds for which a file remains after its last user has left.
     * @param background runs slow work.
     * @param shares shares of the clients, in which publication logs count.
     */
    public LogFiles(
            DriverDirectory directory,
            HugePages hugePages,
            long pageLength,
            long lingerNs,
            Background background,
            DriverCounters counters,
            Shares shares,
            ErrorHandler errors) {
        this(
                directory.logs(DriverDirectory.PUBLICATIONS),
                directory.logs(DriverDirectory.IMAGES),
                hugePages,
                pageLength,
                lingerNs,
                background,
                counters,
                shares,
                errors);
    }

    LogFiles(
            HeldPath publications,
            HeldPath images,
            HugePages hugePages,
            long pageLength,
            long lingerNs,
            Background background,
            DriverCounters counters,
            Shares shares,
            ErrorHandler errors) {
        this.shares = shares;
        this.publications = publications;
        this.images = images;
        this.hugePages = hugePages;
        this.pageLength = pageLength;
        this.lingerNs = lingerNs;
        this.background = background;
        this.errors = errors;
        this.bytes = counters.system(SystemCounter.LOG_BYTES);
    }

    /**
     * Starts creating a publication's log.
     *
     * @param client client in whose turn work on the log runs, and that is charged for the log.
     * @throws io.verbus.driver.share.ShareException if the client has too many bytes of logs.
     */
    public void publication(LogSpec spec, long client, LogReceiver receiver) {
        long length = LogLayout.fileLength(spec.termLength(), LogLayout.MIN_PAGE_LENGTH);
        shares.take(Share.LOG_BYTES, client, length);
        create(
                publications,
                spec,
                0,
                client,
                new LogReceiver() {
                    @Override
                    public void onLog(LogBuffers log) {
                        payers.put(log, client);
                        receiver.onLog(log);
                    }

                    @Override
                    public void onFailure(CommandException failure) {
                        shares.giveBack(Share.LOG_BYTES, client, length);
                        receiver.onFailure(failure);
                    }
                });
    }

    /**
     * Starts creating an image's log.
     *
     * @param span number of bytes in use at a time, which the user reserves through {@link
     *     LogBuffers#room}; 0 for all.
     * @param owner owner in whose turn work on the log runs.
     */
    public void image(LogSpec spec, long span, Object owner, LogReceiver receiver) {
        create(images, spec, span, owner, receiver);
    }

    /** Returns whether only a part of a log may be backed by memory. */
    public boolean mayHoldPart() {
        return hugePages == null;
    }

    private void create(
            HeldPath folder, LogSpec spec, long span, Object owner, LogReceiver receiver) {
        LogReceiver populating = populating(owner, receiver);
        LogCreation creation =
                new LogCreation(
                        this, space, folder, spec, span, owner, populating, hugePages, pageLength);
        creations.put(creation, creation);
        background.begin(owner, creation);
    }

    private LogReceiver populating(Object owner, LogReceiver receiver) {
        return new LogReceiver() {
            @Override
            public void onLog(LogBuffers log) {
                LogPopulation population = new LogPopulation(log, owner);
                populations.put(log, population);
                background.beginLater(owner, population);
                log.room().hold(log.spec().position(), log.spec().position());
                bytes.getAndAddRelease(log.length());
                receiver.onLog(log);
            }

            @Override
            public void onFailure(CommandException failure) {
                receiver.onFailure(failure);
            }
        };
    }

    /** Starts allocating or returning the memory of a part of a log. */
    void begin(Object owner, PartialRoom room) {
        background.begin(owner, room);
    }

    /** Reports that a log's memory cannot be allocated and its stream waits. */
    void onError(RuntimeException failure) {
        errors.onError(failure);
    }

    /** Handles the completion of a log's creation, or its failure. */
    void onCreated(LogCreation creation) {
        creations.remove(creation);
    }

    /** Runs a call in the background once all pages of a log are in memory. */
    public void callOn(LogBuffers log, Runnable call, Consumer<RuntimeException> then) {
        LogPopulation population = populations.get(log);
        if (population.isDone()) {
            background.call(population.owner(), call, then);
        } else {
            population.whenDone(() -> background.call(population.owner(), call, then));
            background.begin(population.owner(), population); // with priority
        }
    }

    /** Releases a log that the driver no longer uses. */
    public void release(LogBuffers log, long nowNs) {
        lingering.addLast(new Lingering(log, nowNs + lingerNs));
    }

    /** Replaces the missing memory of truncated logs. Returns the number of such logs. */
    public int abandonTruncated() {
        int count = 0;
        for (LogBuffers log : populations.keySet()) {
            if (log.isTruncated()) {
                log.abandon();
                count++;
            }
        }
        return count;
    }

    /**
     * Frees the logs whose linger time is over.
     *
     * @return the number of freed logs.
     */
    public int free(long nowNs) {
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

    /** Unmaps and deletes a log that no agent of the driver uses. */
    public void free(LogBuffers log) {
        LogPopulation population = populations.remove(log);
        Long payer = payers.remove(log);
        long length = LogLayout.fileLength(log.spec().termLength(), LogLayout.MIN_PAGE_LENGTH);
        background.call(
                population.owner(),
                () -> {
                    population.stop();
                    discard(log);
                },
                failure -> {
                    bytes.getAndAddRelease(-log.length());
                    if (payer != null) {
                        shares.giveBack(Share.LOG_BYTES, payer, length);
                    }
                    if (failure != null) {
                        errors.onError(failure);
                    }
                });
    }

    private void discard(LogBuffers log) {
        Path file = log.file();
        log.room().close();
        log.close();
        delete(file);
    }

    /**
     * Deletes a log's file and the link to it. Thread-safe.
     *
     * @throws BusException if it cannot be deleted.
     */
    void delete(Path file) {
        String name = file.getFileName().toString();
        try {
            Files.deleteIfExists(publications.place(name));
            Files.deleteIfExists(images.place(name));
            if (hugePages != null) {
                Files.deleteIfExists(hugePages.folder().place(name));
            }
        } catch (IOException e) {
            throw new BusException("cannot delete " + file + ": " + e, e);
        }
    }

    /**
     * Keeps a log mapped until the process ends, because an adapter may still access it. Its file
     * is deleted. Called while the transports close.
     */
    public void keepMapped(LogBuffers log) {
        kept.add(log);
    }

    /** Frees all remaining logs; the agents, transports and background threads must have ended. */
    public void close() {
        creations.keySet().stream()
                .map(LogCreation::log)
                .filter(log -> log != null)
                .forEach(this::discard);
        for (LogBuffers log : populations.keySet()) {
            if (kept.contains(log)) {
                delete(log.file());
            } else {
                discard(log);
            }
        }
        lingering.clear();
        if (hugePages != null) {
            hugePages.close();
        }
    }
}
