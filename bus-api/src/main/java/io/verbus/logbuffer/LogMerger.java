// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Merges a stream from several sources, each of which has its own image log: copies committed
 * frames into one log, in order and each frame once. A single thread merges. Readers of the log see
 * a frame only once the frame, and everything copied along with it, is in place.
 *
 * <p>The word at the frontier is zero until the frames after it are in place, so the log needs no
 * cleaning. Copied frames lie within one term; the zero word after them may lie in the next term.
 */
public final class LogMerger {
    private final LogBuffers log;
    private final int termLength;
    private final int bitsToShift;

    /** Written by the merging thread; read by any thread. */
    private volatile long frontier;

    /**
     * @param log empty log to merge the stream into.
     */
    public LogMerger(LogBuffers log) {
        this.log = log;
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        frontier = log.spec().position();
    }

    /** Returns the position up to which the stream is merged. Thread-safe. */
    public long frontier() {
        return frontier;
    }

    /**
     * Continues at the frontier that another writer of the log has reached. There must be a zero
     * word at the position. Must not be called while a thread is merging.
     */
    public void goOnFrom(long position) {
        frontier = position;
    }

    /**
     * The log of one source, and the position up to which it was read. Used by the merging thread
     * only.
     */
    public static final class Source {
        private final LogBuffers log;
        private final LogScanner scanner;
        private long position;

        /**
         * @param log log of the source, with the same initial term and term length.
         * @param position position at which the source starts.
         */
        public Source(LogBuffers log, long position) {
            this.log = log;
            this.position = position;
            scanner = new LogScanner(log);
        }

        /** Returns the position up to which the source is no longer needed. */
        public long position() {
            return position;
        }
    }

    /**
     * Takes the next frames from a source: skips frames that are already merged, or copies frames
     * that start at the frontier. A source that is ahead of the frontier waits for the other
     * sources.
     *
     * @param source source to take from.
     * @param limit position that the frontier must not pass.
     * @param maxBytes maximum number of bytes to copy; a longer first frame is copied nevertheless.
     * @return number of bytes by which the source has advanced.
     * @throws InvalidFrameException if the source holds an invalid frame, or frames that do not
     *     match the frames of another source.
     */
    public int merge(Source source, long limit, int maxBytes) {
        long from = source.position;
        long at = frontier;
        if (from > at) {
            return 0;
        }
        if (from < at) {
            source.position = skip(source, from, at);
        } else {
            source.position = source.scanner.available(from, limit, maxBytes);
            copy(source, from, source.position - source.scanner.padding());
        }
        return (int) (source.position - from);
    }

    /** Skips frames that another source has delivered. */
    private long skip(Source source, long from, long at) {
        long end = source.scanner.available(from, at, termLength);
        if (end == from) {
            int offset = LogLayout.termOffset(from, termLength);
            long word =
                    source.log.term(LogLayout.partition(from, bitsToShift)).getLongAcquire(offset);
            // The frame may have arrived since the source was checked.
            if (from + FrameHeader.length(word) > at) {
                throw new InvalidFrameException(
                        from,
                        word,
                        "crosses position " + at + ", where another source has a frame");
            }
        }
        return end;
    }

    /**
     * Copies the frames that a source has at the frontier, storing the first frame's first word
     * last.
     */
    private void copy(Source source, long from, long copied) {
        long end = source.position;
        if (end == from) {
            return;
        }
        int index = LogLayout.partition(from, bitsToShift);
        int offset = LogLayout.termOffset(from, termLength);
        UnsafeBuffer to = log.term(index);
        UnsafeBuffer frames = source.log.term(index);
        int length = (int) (copied - from);
        to.putBytes(offset + Long.BYTES, frames, offset + Long.BYTES, length - Long.BYTES);
        int next = LogLayout.termOffset(end, termLength);
        log.term(LogLayout.partition(end, bitsToShift)).putLong(next, 0);
        to.putLongRelease(offset, frames.getLong(offset));
        frontier = end;
    }
}
