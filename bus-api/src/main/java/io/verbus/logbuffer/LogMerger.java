// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Puts a stream together that comes from several sources, each of which has an image log of its
 * own: copies committed frames into one log, in order, and each once. One thread merges; readers of
 * the log see a frame when all of it, and of what is copied with it, is in place.
 *
 * <p>The word at the frontier is zero until the frames behind it are in place, so that the log
 * needs no cleaning. What is copied ends within a term, and the zero behind it may lie in the next.
 */
public final class LogMerger {
    private final LogBuffers log;
    private final int termLength;
    private final int bitsToShift;

    /** Written by the thread that merges; read by any. */
    private volatile long frontier;

    /**
     * @param log that the stream is put together in, empty.
     */
    public LogMerger(LogBuffers log) {
        this.log = log;
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        frontier = log.spec().position();
    }

    /** Position up to which the stream is put together. Any thread. */
    public long frontier() {
        return frontier;
    }

    /**
     * The stream was put together up to a position by somebody else, whose last word there is zero.
     * While nobody merges.
     */
    public void goOnFrom(long position) {
        frontier = position;
    }

    /** A log that the stream comes in, and how far it was looked at. The merging thread's. */
    public static final class Source {
        private final LogBuffers log;
        private final LogScanner scanner;
        private long position;

        /**
         * @param log of the source, of the same initial term and term length.
         * @param position from which it has the stream.
         */
        public Source(LogBuffers log, long position) {
            this.log = log;
            this.position = position;
            scanner = new LogScanner(log);
        }

        /** Position up to which nothing of the source is needed any more. */
        public long position() {
            return position;
        }
    }

    /**
     * Takes from a source what comes next: skips what is there already, or copies what is not. A
     * source that begins behind the frontier waits for the others.
     *
     * @param source to take from.
     * @param limit position that the frontier must not pass.
     * @param maxBytes to copy; a longer first frame is taken nevertheless.
     * @return bytes that the source has advanced.
     * @throws InvalidFrameException if the source holds what no sender sends, or frames that are
     *     not those of the stream.
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

    /** Passes frames that another source has brought. */
    private long skip(Source source, long from, long at) {
        long end = source.scanner.available(from, at, termLength);
        if (end == from) {
            int offset = LogLayout.termOffset(from, termLength);
            long word =
                    source.log.term(LogLayout.partition(from, bitsToShift)).getLongAcquire(offset);
            if (FrameHeader.length(word) > 0) {
                throw new InvalidFrameException(
                        from,
                        word,
                        "crosses position " + at + ", where another source has a frame");
            }
        }
        return end;
    }

    /** Copies what a source has from the frontier on; its first word last. */
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
