// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.driver.command.CommandException;
import io.verbus.driver.files.LogReceiver;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundImage;

import java.util.function.Consumer;

/**
 * A source of a merged image whose peer has stopped, until it goes on: in the merged log, because
 * it is the only one; in a log of its own, because another has come; or where it was, because that
 * has changed meanwhile. Conductor's thread.
 */
final class SourceMove {
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
    SourceMove(
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
                                        images.staged(source.image(), image.channel(), setup, log),
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
