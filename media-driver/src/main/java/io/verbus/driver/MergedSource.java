// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.driver.command.CommandException;
import io.verbus.driver.files.LogReceiver;
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
 * One of the sources of a {@link MergedImage}: its image, which no client sees, and how far that is
 * merged. A direct source has no log of its own: its peer writes the merged one. Conductor's thread
 * but where it says otherwise.
 */
final class MergedSource {
    private final NetworkImage image;
    private final ImageSetup setup;
    private final long begin;

    /** Null of a direct source. The receiver's. */
    private final LogMerger.Source frames;

    /** Written by the receiver; the source's sender is granted credit by it. */
    private final Position position = new AtomicLongPosition();

    /** Written by the receiver: position up to which it is merged. */
    private volatile long merged;

    /** Written by the receiver: why nothing more is taken of it. */
    private volatile InvalidFrameException defect;

    /** Its destination was removed, and its peer still writes. */
    private boolean isClosing;

    /** It is one no more. */
    private boolean hasLeft;

    private MergedSource(NetworkImage image, ImageSetup setup, boolean isDirect) {
        this.image = image;
        this.setup = setup;
        begin = setup.position();
        merged = begin;
        frames = isDirect ? null : new LogMerger.Source(image.log(), begin);
        image.subscribers().positions().join(position, () -> begin);
    }

    /** One whose frames are copied from a log of its own. */
    static MergedSource staged(NetworkImage image, ImageSetup setup) {
        return new MergedSource(image, setup, false);
    }

    /** One whose peer writes the merged log. */
    static MergedSource direct(NetworkImage image, ImageSetup setup) {
        return new MergedSource(image, setup, true);
    }

    NetworkImage image() {
        return image;
    }

    /** With which the peer offered the stream, and the position from which this source has it. */
    ImageSetup setup() {
        return setup;
    }

    // Receiver

    boolean isDirect() {
        return frames == null;
    }

    /**
     * Takes what comes next.
     *
     * @param merger of the merged log.
     * @param limit position that its frontier must not pass.
     * @param maxBytes to copy.
     * @return bytes that were taken.
     */
    int merge(LogMerger merger, long limit, int maxBytes) {
        if (defect != null) {
            return 0;
        }
        try {
            int taken = merger.merge(frames, limit, maxBytes);
            if (taken > 0) {
                merged = frames.position();
            }
            return taken;
        } catch (InvalidFrameException e) {
            defect = e;
            return 1;
        }
    }

    /**
     * Credit goes by what was consumed, and not by what was merged: so that what the sender may
     * send next fits in the merged log, too, whenever it is to go on there.
     *
     * @param released position up to which the merged log was consumed.
     */
    void release(long released) {
        long consumed = isDirect() ? released : Math.min(merged, released);
        if (consumed > position.get()) {
            position.setRelease(consumed);
        }
    }

    // Conductor

    /** Position up to which it is merged. */
    long merged() {
        return merged;
    }

    /** Why nothing more is taken of it, or null. */
    InvalidFrameException defect() {
        return defect;
    }

    /** Whether more of the stream may come from it. */
    boolean isActive() {
        return !isClosing && defect == null && image.isActive();
    }

    /** Whether its peer has what comes behind a frontier, now or later. */
    boolean goesOnAt(long frontier) {
        return isDirect() ? isActive() : defect == null && merged <= frontier;
    }

    /** Position up to which it has the stream now. */
    long received() {
        return FrontierScanner.scan(image.log(), position.getAcquire()).position();
    }

    /**
     * Whether nothing more can be taken of it, nor written by it.
     *
     * @param frontier of the merged log.
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
     * Whether its peer could write the merged log.
     *
     * @param frontier of the merged log.
     * @param released position up to which that was consumed.
     */
    boolean canBeDirect(long frontier, long released) {
        return !isDirect()
                && isActive()
                && image.transport().isOneSided()
                && merged == frontier
                && begin <= released;
    }

    /** Its destination was removed: its image ends, and its peer stops. */
    void close() {
        isClosing = true;
        leave();
    }

    /** It is one no more: its image needs no log. */
    void leave() {
        if (!hasLeft) {
            hasLeft = true;
            image.subscribers().positions().leave(position);
        }
    }

    /** Whether the log that it was in may go, as far as this source is concerned. */
    boolean isGone() {
        return hasLeft && (!isDirect() || image.isReleased());
    }

    /**
     * A source of a merged image whose peer has stopped, until it goes on: in the merged log,
     * because it is the only one; in a log of its own, because another has come; or where it was,
     * because that has changed meanwhile. Conductor's thread.
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
         * @param image that the source is of.
         * @param source whose peer has stopped.
         * @param images makes the image in which it goes on.
         * @param goOn to be called with that.
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

        /** Each turn; whether the move is over. */
        boolean step() {
            if (isOver || !image.has(source) || !source.isActive()) {
                return true; // its image is closed as any other
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
                                setup);
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
                                            setup);
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
