// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogLayout;
import io.verbus.memory.LogRoom;
import io.verbus.transport.InboundImage;

/**
 * Makes room in an image's log: zeroes consumed parts, keeps in memory what is needed next, and
 * limits what may be granted.
 */
final class ReceiveRoom {
    /**
     * Divisor of the term length that gives the length of a cleaning step, which must be less than
     * the available room.
     */
    private static final int CLEAN_STEPS = 8;

    /** Maximum number of bytes cleaned in one step. */
    private static final int MAX_CLEANED = 256 * 1024;

    private final InboundImage image;
    private final RebuiltLog log;
    private final LogCleaner cleaner;
    private final LogRoom room;
    private final int step;

    /** Number of bytes of the log to keep in memory ahead of the consumed position. */
    private final long span;

    /**
     * Called by the conductor's thread.
     *
     * @param image image to fill.
     * @param log what the receiver has rebuilt of the image's log.
     * @param position position at which the image begins.
     * @param span number of bytes of the log to keep in memory ahead of the consumed position.
     */
    ReceiveRoom(InboundImage image, RebuiltLog log, long position, long span) {
        LogBuffers buffers = image.log();
        this.image = image;
        this.log = log;
        this.span = span;
        cleaner = new LogCleaner(buffers, position);
        room = buffers.room();
        boolean isWhole = log.termLength() <= LogRoom.LONGEST_WHOLE;
        step = isWhole ? log.termLength() / CLEAN_STEPS : MAX_CLEANED;
    }

    /**
     * Cleans a part of the log that is both consumed and counted by the receiver: if a frame were
     * zeroed before the receiver counts it, the receiver would request it again, and it would be
     * left over when the log is reused. Called by the conductor's thread.
     *
     * @return work count.
     */
    int clean() {
        long consumed = image.consumedPosition();
        int cleaned =
                consumed - cleaner.cleaned() < step
                        ? 0
                        : cleaner.clean(
                                Math.min(consumed, log.rebuiltAcquire()),
                                Math.min(step, MAX_CLEANED));
        room.hold(cleaner.cleaned(), consumed + span);
        return cleaned;
    }

    /**
     * Returns the limit to grant; the word after it must be readable as well. Called by the
     * receiver.
     */
    long limit(long consumed, long window) {
        long inMemory = room.end() - LogLayout.MIN_PAGE_LENGTH;
        return Math.min(cleaner.limit(consumed, window), inMemory);
    }
}
