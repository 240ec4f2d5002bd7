// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.directory.HeldPath;
import io.verbus.driver.background.SlicedTask;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.memory.LogRoom;

import java.util.concurrent.TimeUnit;

/**
 * Allocates a log's memory while the stream runs: the first part before the log is usable, then the
 * rest. With long terms, only the part in use is allocated. This part moves through the file with
 * the stream:
 *
 * <pre>
 *      given back      begin      cleaned           consumed, rebuilt, granted       end     hole
 *  --------------------+--------------+------------------------------------------+-------------
 *                      | is given back|  is in use                               |  allocated
 * </pre>
 *
 * <p>Each page is allocated before anything can be written to it, so a full file system blocks the
 * stream, and no access fails.
 */
final class PartialRoom implements LogRoom, SlicedTask {
    private static final int SLICE = LogCreation.SLICE;
    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);

    private final LogFiles files;
    private final LogSpace space;
    private final HeldPath folder;
    private final String name;
    private final Object owner;
    private final long termsLength;

    /** Whether the whole log is allocated eventually, and nothing is released. */
    private final boolean isWhole;

    private final long firstEnd;
    private LogBuffers log;

    // Written by the conductor
    private volatile long wantedFrom;
    private volatile long wantedTo;

    // Used by the conductor
    private boolean isUnderWay;
    private boolean hasFailed;
    private long failedNs;

    // Written by the slice thread
    private volatile long begin;
    private volatile long end;

    // Guarded by this object, because another thread may unmap the log.
    private boolean isClosed;
    private long promised;

    /**
     * @param space space in which the first part of the log, or all of it, is reserved.
     * @param folder folder of the log's file.
     * @param name name of the file.
     * @param owner owner in whose turn work on the log runs.
     * @param spec specification of the log.
     * @param part number of bytes to allocate before the log is usable, in whole pages.
     */
    PartialRoom(
            LogFiles files,
            LogSpace space,
            HeldPath folder,
            String name,
            Object owner,
            LogSpec spec,
            long part) {
        this.files = files;
        this.space = space;
        this.folder = folder;
        this.name = name;
        this.owner = owner;
        termsLength = (long) LogLayout.PARTITIONS * spec.termLength();
        isWhole = spec.termLength() <= LONGEST_WHOLE;
        begin = spec.position() & -LogLayout.MIN_PAGE_LENGTH;
        end = begin;
        firstEnd = begin + part;
        wantedFrom = begin;
        wantedTo = isWhole ? begin + termsLength : firstEnd;
        promised = wantedTo - begin;
    }

    /** Returns the number of bytes to reserve for the log. */
    long promised() {
        return promised;
    }

    /** Sets the mapped log, whose first part is not allocated yet. */
    void use(LogBuffers mapped) {
        log = mapped;
        log.room(this);
        if (!isWhole) {
            log.metadata().putInt(LogLayout.PARTIAL, 1);
        }
    }

    /** Returns whether the log can be used. */
    boolean hasFirstPart() {
        return end >= firstEnd;
    }

    @Override
    public long end() {
        return end;
    }

    @Override
    public void hold(long from, long to) {
        if (!isWhole) {
            wantedFrom = from;
            wantedTo = Math.max(wantedTo, Math.min(to, begin + termsLength));
        }
        boolean isDue = end < wantedTo || wantedFrom - begin >= SLICE;
        if (isDue && !isUnderWay && !(hasFailed && System.nanoTime() - failedNs < RETRY_NS)) {
            isUnderWay = true;
            files.begin(owner, this);
        }
    }

    @Override
    public synchronized boolean work() {
        if (isClosed) {
            return true;
        }
        if (end < wantedTo) {
            take(slice(end, wantedTo));
        } else if (wantedFrom - begin >= SLICE) {
            long count = slice(begin, wantedFrom);
            LogSpace.giveBack(folder.place(name), begin % termsLength, count);
            begin += count;
        }
        return end >= wantedTo && wantedFrom - begin < SLICE;
    }

    private void take(long count) {
        int errno = LogSpace.take(folder.place(name), end % termsLength, count);
        if (errno != 0) {
            throw LogSpace.tooLittle(folder.path(), count, errno);
        }
        log.touch(end % termsLength, count);
        long settled = Math.min(count, promised);
        promised -= settled;
        space.settle(settled);
        end = isWhole && end + count == wantedTo ? Long.MAX_VALUE : end + count;
    }

    /**
     * Returns the number of bytes, in whole pages, up to a position; limited to the file and to one
     * slice.
     */
    private long slice(long from, long to) {
        long pages = to - from + LogLayout.MIN_PAGE_LENGTH - 1 & -LogLayout.MIN_PAGE_LENGTH;
        return Math.min(Math.min(SLICE, pages), termsLength - from % termsLength);
    }

    @Override
    public void onDone(RuntimeException failure) {
        isUnderWay = false;
        hasFailed = failure != null;
        if (hasFailed) {
            failedNs = System.nanoTime();
            files.onError(
                    new BusException(
                            "a stream is blocked because its image cannot grow: "
                                    + failure.getMessage(),
                            failure));
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        space.settle(promised);
        promised = 0;
    }
}
