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
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Has the log files of a driver directory made, and has each unmapped and deleted when it has not
 * been used for a while: a client that was just told of it may not have mapped it yet. All that
 * takes long is done in the background. Conductor's thread.
 */
public final class LogFiles {
    private record Lingering(LogBuffers log, long deadlineNs) {}

    private final HeldPath publications;
    private final HeldPath images;

    /** Where logs lie on huge pages; null where they lie in the directory. */
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

    /** The clients in whose shares the logs of publications count. */
    private final Map<LogBuffers, Long> payers = new IdentityHashMap<>();

    private final ArrayDeque<Lingering> lingering = new ArrayDeque<>();

    /**
     * @param directory of the driver.
     * @param hugePages that logs are to lie on, or null; closed with this.
     * @param pageLength bytes of a page of files that do not lie on huge pages.
     * @param lingerNs for which a file stays after its last user has gone.
     * @param background does what takes long.
     * @param shares of clients, in which the logs of publications count.
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
     * Begins to make the log of a publication.
     *
     * @param client whose turn it is when something is done for the log, and in whose share it
     *     counts.
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
     * Begins to make the log of an image.
     *
     * @param span bytes that are used at a time, which its user holds by {@link LogBuffers#room}; 0
     *     if all are.
     * @param owner whose turn it is when something is done for the log.
     */
    public void image(LogSpec spec, long span, Object owner, LogReceiver receiver) {
        create(images, spec, span, owner, receiver);
    }

    /** Whether logs may have memory for a part of them only. */
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

    /** Has a part of a log taken into memory, or given back. */
    void begin(Object owner, PartialRoom room) {
        background.begin(owner, room);
    }

    /** Memory of a log cannot be taken: its stream waits. */
    void onError(RuntimeException failure) {
        errors.onError(failure);
    }

    /** A log stands, or cannot be made. */
    void onCreated(LogCreation creation) {
        creations.remove(creation);
    }

    /** Makes a call in the background once all pages of a log are in memory. */
    public void callOn(LogBuffers log, Runnable call, Consumer<RuntimeException> then) {
        LogPopulation population = populations.get(log);
        if (population.isDone()) {
            background.call(population.owner(), call, then);
        } else {
            population.whenDone(() -> background.call(population.owner(), call, then));
            background.begin(population.owner(), population); // ahead of what nobody waits for
        }
    }

    /** The driver has no more use for a log. */
    public void release(LogBuffers log, long nowNs) {
        lingering.addLast(new Lingering(log, nowNs + lingerNs));
    }

    /** Puts memory in the place of logs that are truncated. Returns how many. */
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
     * Frees logs whose time is over.
     *
     * @return how many.
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

    /** Has a log unmapped and deleted: none of the driver's agents uses it any more. */
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
     * Deletes a log's file, and the link to it. Any thread.
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

    /** Frees all that there still is; the agents, transports and the background have ended. */
    public void close() {
        creations.keySet().stream()
                .map(LogCreation::log)
                .filter(log -> log != null)
                .forEach(this::discard);
        populations.keySet().forEach(this::discard);
        lingering.clear();
        if (hugePages != null) {
            hugePages.close();
        }
    }
}
