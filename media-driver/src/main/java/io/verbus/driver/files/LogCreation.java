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
 * Makes the file of a log: space is promised, taken slice by slice, and then mapped. The slices'
 * thread, but for what the conductor calls.
 */
final class LogCreation implements SlicedTask {
    /** What is done to a log between others' turns, in bytes. */
    static final int SLICE = 1024 * 1024;

    private final LogFiles files;
    private final LogSpace space;
    private final String name;

    /** Holds the file, or a link to it where it lies on huge pages. */
    private final HeldPath place;

    /** Holds the file. */
    private final HeldPath folder;

    private final Path file;
    private final LogSpec spec;
    private final LogReceiver receiver;
    private final HugePages hugePages;
    private final long pageLength;

    /** Bytes that are taken at a time, whole pages. */
    private final long slice;

    /** Bytes of the file. */
    private final long length;

    /** Bytes of the file that have memory: what is between terms and metadata has none. */
    private final long memory;

    private final long terms;

    /** Takes the terms, from where the stream begins on; null where all is taken here. */
    private final PartialRoom room;

    /** Bytes that are taken here: all, or the metadata. */
    private final long needed;

    private long taken;
    private boolean isMade;

    /** Written by the slices' thread, read by the conductor after that has told of the end. */
    private LogBuffers log;

    /**
     * @param place folder of the driver directory for the log.
     * @param span bytes that are used at a time; 0 if all are.
     * @param owner whose turn it is when something is done for the log.
     * @param hugePages that the log lies on, or null; what is in the place is a link then.
     * @param filePageLength bytes of a page of a file that does not lie on huge pages.
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

    /** The metadata at the end of the file, which has its full length then; then the first part. */
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
            if (isMade) { // else there is another's of this name
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
                            "the log "
                                    + file
                                    + " cannot be made: "
                                    + failure
                                    + "; report this with the driver's error log",
                            failure));
        }
    }

    /** The log, if it stands; or null. */
    LogBuffers log() {
        return log;
    }
}
