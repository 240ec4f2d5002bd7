// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.directory.DriverFile;
import io.verbus.directory.HeldPath;
import io.verbus.driver.background.SlicedTask;
import io.verbus.driver.command.CommandException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;

import org.agrona.BitUtil;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Creates a log's file: reserves space, allocates it slice by slice, then maps the file. Used by
 * the slice thread except where noted.
 */
final class LogCreation implements SlicedTask {
    /** Bytes of a log to process in one turn. */
    static final int SLICE = 1024 * 1024;

    private final LogFiles files;
    private final LogSpace space;
    private final String name;

    /** Folder of the file, or of the link to it if it uses huge pages. */
    private final HeldPath place;

    /** Folder of the file. */
    private final HeldPath folder;

    private final Path file;
    private final LogSpec spec;
    private final LogReceiver receiver;
    private final HugePages hugePages;
    private final long pageLength;

    /** Bytes to allocate at a time, in whole pages. */
    private final long slice;

    /** Length of the file in bytes. */
    private final long length;

    /**
     * Number of bytes of the file that are backed by memory, which excludes the gap between terms
     * and metadata.
     */
    private final long memory;

    private final long terms;

    /**
     * Allocates the terms, starting where the stream begins; null if everything is allocated here.
     */
    private final PartialRoom room;

    /** Bytes to allocate here: everything, or only the metadata. */
    private final long needed;

    private long taken;
    private boolean isMade;

    /** Written by the slice thread; read by the conductor after completion. */
    private LogBuffers log;

    /**
     * @param place folder for the log in the driver directory.
     * @param span number of bytes of the log in use at a time; 0 for all.
     * @param owner owner in whose turn work on the log runs.
     * @param hugePages huge pages for the log, in which case {@code place} holds a link; or null.
     * @param filePageLength page length in bytes of files without huge pages.
     */
    LogCreation(
            LogFiles files,
            LogSpace space,
            HeldPath place,
            LogSpec spec,
            long span,
            Object owner,
            LogReceiver receiver,
            HugePages hugePages,
            long filePageLength) {
        this.files = files;
        this.space = space;
        this.place = place;
        this.name = spec.registrationId() + ".logbuffer";
        this.folder = hugePages == null ? place : hugePages.folder();
        this.file = folder.path().resolve(name);
        this.spec = spec;
        this.receiver = receiver;
        this.hugePages = hugePages;
        pageLength = hugePages == null ? filePageLength : hugePages.pageLength();
        slice = hugePages == null ? SLICE : Math.max(SLICE, pageLength);
        length = LogLayout.fileLength(spec.termLength(), pageLength);
        terms = (long) LogLayout.PARTITIONS * spec.termLength();
        long part = BitUtil.align(span, LogLayout.MIN_PAGE_LENGTH);
        room =
                part > 0 && part < terms && hugePages == null
                        ? new PartialRoom(files, space, folder, name, owner, spec, part)
                        : null;
        memory = hugePages == null ? LogLayout.fileLength(spec.termLength()) : length;
        needed = room == null ? memory : memory - terms;
    }

    @Override
    public boolean work() {
        if (taken == 0) {
            begin();
        }
        try {
            return room == null ? takeAll() : takePart();
        } catch (BusException e) {
            throw withdrawn(e);
        }
    }

    private boolean takeAll() {
        boolean isTerm = taken < terms;
        long left = isTerm ? terms - taken : memory - taken;
        take(isTerm ? taken : length - left, Math.min(slice, left));
        if (taken == memory) {
            log = LogBuffers.initialise(file, folder.place(name), spec, pageLength);
        }
        return log != null;
    }

    /**
     * Allocates the metadata at the end of the file, which then has its full length; in later
     * calls, the first part. Returns whether both are allocated.
     */
    private boolean takePart() {
        if (log == null) {
            take(length - needed, needed);
            log = LogBuffers.initialise(file, folder.place(name), spec, pageLength);
            room.use(log);
            return false;
        }
        room.work();
        return room.hasFirstPart();
    }

    private void take(long from, long count) {
        int errno = LogSpace.take(folder.place(name), from, count);
        if (errno != 0) {
            throw LogSpace.tooLittle(file.getParent(), length, errno);
        }
        taken += count;
        settle(count);
    }

    private void begin() {
        if (hugePages == null) {
            space.promise(file.getParent(), needed + (room == null ? 0 : room.promised()));
        } else {
            hugePages.check(spec.termLength());
        }
        try {
            DriverFile.create(folder.place(name)).close();
            isMade = true;
            if (hugePages != null) {
                Files.createSymbolicLink(place.place(name), file);
            }
        } catch (IOException e) {
            throw withdrawn(
                    new BusException(
                            "cannot create the log "
                                    + file
                                    + " ("
                                    + e
                                    + "): free space there, or choose another driver directory",
                            e));
        }
    }

    private void settle(long count) {
        if (hugePages == null) {
            space.settle(count);
        }
    }

    private BusException withdrawn(BusException failure) {
        settle(needed - taken);
        try {
            if (room != null) {
                room.close();
            }
            if (log != null) {
                log.close();
                log = null;
            }
            if (isMade) { // otherwise another file has this name
                files.delete(file);
            }
        } catch (BusException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    @Override
    public void onDone(RuntimeException failure) {
        files.onCreated(this);
        if (failure == null) {
            receiver.onLog(log);
        } else if (failure instanceof BusException) {
            receiver.onFailure(
                    new CommandException(ErrorCode.STORAGE_SPACE, failure.getMessage(), failure));
        } else {
            receiver.onFailure(
                    new CommandException(
                            ErrorCode.GENERIC_ERROR,
                            "cannot create the log "
                                    + file
                                    + ": "
                                    + failure
                                    + "; report this with the driver's error log",
                            failure));
        }
    }

    /** Returns the log; null until it is created. Called by the conductor. */
    LogBuffers log() {
        return log;
    }
}
