// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import io.verbus.driver.command.CommandException;
import io.verbus.driver.files.LogReceiver;
import io.verbus.driver.status.SourceCounters;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogMerger;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundImage;

import org.agrona.concurrent.status.AtomicLongPosition;
import org.agrona.concurrent.status.Position;

import java.util.function.Consumer;

/**
 * One of the sources of a {@link MergedImage}: the source's own image, which clients do not see,
 * and the position up to which it is merged. A direct source has no log of its own, because its
 * peer writes the merged log. Used by the conductor's thread except where noted.
 */
final class MergedSource {
    private final NetworkImage image;
    private final ImageSetup setup;
    private final long begin;
    private final SourceCounters counters;

    /** Reads the source's frames; null for a direct source. Used by the receiver. */
    private final LogMerger.Source frames;

    /**
     * Consumed position, which determines the credit granted to the source's sender. Written by the
     * receiver.
     */
    private final Position position = new AtomicLongPosition();

    /** Position up to which the source is merged. Written by the receiver. */
    private volatile long merged;

    /** Invalid frame at which merging stopped. Written by the receiver. */
    private volatile InvalidFrameException defect;

    /** Whether the source's destination was removed while its peer was still writing. */
    private boolean isClosing;

    /** Whether this is no longer one of the image's sources. */
    private boolean hasLeft;

    private MergedSource(
            NetworkImage image, ImageSetup setup, SourceCounters counters, boolean isDirect) {
        this.image = image;
        this.setup = setup;
        this.counters = counters;
        begin = setup.position();
        merged = begin;
        frames = isDirect ? null : new LogMerger.Source(image.log(), begin);
        image.subscribers().positions().join(position, () -> begin);
    }

    /** Returns a source whose frames are copied from its own log. */
    static MergedSource staged(NetworkImage image, ImageSetup setup, SourceCounters counters) {
        return new MergedSource(image, setup, counters, false);
    }

    /** Returns a source whose peer writes the merged log. */
    static MergedSource direct(NetworkImage image, ImageSetup setup, SourceCounters counters) {
        return new MergedSource(image, setup, counters, true);
    }

    NetworkImage image() {
        return image;
    }

    /**
     * Returns the setup with which the peer offered the stream, including the source's first
     * position.
     */
    ImageSetup setup() {
        return setup;
    }

    // Receiver

    boolean isDirect() {
        return frames == null;
    }

    /**
     * Copies the next frames into the merged log.
     *
     * @param merger merger that writes the log.
     * @param limit limit of the merged log's frontier.
     * @param maxBytes maximum number of bytes to copy.
     * @return the number of bytes copied.
     */
    int merge(LogMerger merger, long limit, int maxBytes) {
        if (defect != null) {
            return 0;
        }
        try {
            long frontier = merger.frontier();
            int taken = merger.merge(frames, limit, maxBytes);
            if (taken > 0) {
                merged = frames.position();
                counters.reached(frames.position());
                if (merger.frontier() != frontier) {
                    counters.delivered(taken);
                }
            }
            return taken;
        } catch (InvalidFrameException e) {
            defect = e;
            return 1;
        }
    }

    /**
     * Grants credit based on the consumed rather than the merged position. If the source then moves
     * to the merged log, everything that the sender may send also fits there.
     *
     * @param released position up to which the merged log was consumed.
     */
    void release(long released) {
        long consumed = isDirect() ? released : Math.min(merged, released);
        if (consumed > position.get()) {
            position.setRelease(consumed);
            if (isDirect()) {
                counters.reached(consumed);
            }
        }
    }

    // Conductor

    /** Returns the position up to which the source is merged. */
    long merged() {
        return merged;
    }

    /** Returns the invalid frame at which merging stopped, or null. */
    InvalidFrameException defect() {
        return defect;
    }

    /** Returns whether the source may deliver more of the stream. */
    boolean isActive() {
        return !isClosing && defect == null && image.isActive();
    }

    /** Returns whether the peer can deliver, now or later, the bytes that follow a frontier. */
    boolean goesOnAt(long frontier) {
        return isDirect() ? isActive() : defect == null && merged <= frontier;
    }

    /** Returns the position up to which the source has received the stream. */
    long received() {
        return FrontierScanner.scan(image.log(), position.getAcquire()).position();
    }

    /**
     * Returns whether the source has nothing more to deliver.
     *
     * @param frontier frontier of the merged log.
     */
    boolean isOver(long frontier) {
        if (defect != null) {
            return true;
        }
        if (isDirect()) {
            return image.isReleased()
                    || !isClosing
                            && !image.isActive()
                            && image.finalPosition() != LogLayout.NOT_ENDED;
        }
        return !image.isActive() && (merged >= image.finalPosition() || merged > frontier);
    }

    /**
     * Returns whether the source's peer could write the merged log directly.
     *
     * @param frontier frontier of the merged log.
     * @param released position up to which the merged log was consumed.
     */
    boolean canBeDirect(long frontier, long released) {
        return !isDirect()
                && isActive()
                && image.transport().isOneSided()
                && merged == frontier
                && begin <= released;
    }

    /** Ends the source's image and stops the peer, because the source's destination was removed. */
    void close() {
        isClosing = true;
        leave();
    }

    /**
     * Marks this as no longer a source of the merged image. The source's own image then no longer
     * needs a log.
     */
    void leave() {
        if (!hasLeft) {
            hasLeft = true;
            image.subscribers().positions().leave(position);
        }
    }

    /** Frees the counters, unless the stream keeps using them in another log. */
    void closeCounters() {
        counters.close();
    }

    /** Returns whether this source no longer needs the log that it used. */
    boolean isGone() {
        return hasLeft && (!isDirect() || image.isReleased());
    }

    /**
     * Moves one of a merged image's sources, whose peer has stopped. The source moves to the merged
     * log if it is the only source, to a log of its own if another source has arrived, or back to
     * its previous log if the situation has changed in the meantime. Used by the conductor's
     * thread.
     */
    static final class Move {
        private final MergedImage image;
        private final MergedSource source;
        private final SourceImages images;
        private final Consumer<InboundImage> goOn;

        /** Position up to which the peer has written. */
        private final long stoppedAt;

        private boolean isStaging;
        private boolean isOver;

        /**
         * @param image merged image to which the source belongs.
         * @param source source whose peer has stopped.
         * @param images factory of the image in which the source continues.
         * @param goOn callback to which the image in which the source continues is passed.
         */
        Move(
                MergedImage image,
                MergedSource source,
                SourceImages images,
                Consumer<InboundImage> goOn) {
            this.image = image;
            this.source = source;
            this.images = images;
            this.goOn = goOn;
            stoppedAt = source.received();
        }

        /** Runs one step of the move. Returns whether the move is complete. */
        boolean step() {
            if (isOver || !image.has(source) || !source.isActive()) {
                return true; // nothing to move; the usual path closes the image
            }
            if (source.isDirect()) {
                stepToStaged();
            } else {
                stepToDirect();
            }
            return isOver;
        }

        private void stepToDirect() {
            if (!image.hasOnly(source)) {
                goOnIn(source);
            } else if (source.merged() >= stoppedAt) {
                long position = image.subscribers().positions().released();
                ImageSetup setup = source.setup().at(position);
                MergedSource direct =
                        MergedSource.direct(
                                images.direct(source.image(), image.channel(), setup, image.log()),
                                setup,
                                source.counters);
                image.replace(source, direct);
                goOnIn(direct);
            }
        }

        private void stepToStaged() {
            if (isStaging) {
                return;
            }
            if (image.hasOnly(source)) {
                goOnIn(source);
                return;
            }
            isStaging = true;
            ImageSetup setup = source.setup().at(stoppedAt);
            images.log(
                    setup,
                    new LogReceiver() {
                        @Override
                        public void onLog(LogBuffers log) {
                            if (!image.has(source) || !source.isActive()) {
                                images.free(log);
                                return;
                            }
                            MergedSource staged =
                                    MergedSource.staged(
                                            images.staged(
                                                    source.image(), image.channel(), setup, log),
                                            setup,
                                            source.counters);
                            image.mergeFrom(stoppedAt);
                            image.replace(source, staged);
                            goOnIn(staged);
                        }

                        @Override
                        public void onFailure(CommandException failure) {
                            image.keepDirect();
                            images.tell(image, source, failure.getMessage());
                            goOnIn(source);
                        }
                    });
        }

        private void goOnIn(MergedSource next) {
            isOver = true;
            goOn.accept(next.image());
        }
    }
}
