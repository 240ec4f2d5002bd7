// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.files.LogReceiver;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.Transport;

import java.util.function.LongSupplier;

/**
 * Makes logs and images of the sources of merged images, which no client sees. Conductor's thread.
 */
final class SourceImages {
    private final Maker maker;
    private final LogFiles files;
    private final LongSupplier ids;
    private final Subscriptions subscriptions;

    /** Makes the image of one source. */
    @FunctionalInterface
    interface Maker {
        /**
         * @param id of the image: that of its log, where the log is its own.
         */
        NetworkImage make(
                Transport transport,
                InboundEndpoint destination,
                ChannelUri channel,
                ImageSetup setup,
                LogBuffers log,
                long id);
    }

    SourceImages(Maker maker, LogFiles files, LongSupplier ids, Subscriptions subscriptions) {
        this.maker = maker;
        this.files = files;
        this.ids = ids;
        this.subscriptions = subscriptions;
    }

    /** Has a log made for a stream: the merged one, or that of a source. */
    void log(ImageSetup setup, LogReceiver receiver) {
        files.image(setup.logSpec(ids.getAsLong()), 0, setup.source(), receiver);
    }

    /** A log that was made is not needed. */
    void free(LogBuffers log) {
        files.free(log);
    }

    /** The image of a source that has a log of its own. */
    NetworkImage staged(
            Transport transport,
            InboundEndpoint destination,
            ChannelUri channel,
            ImageSetup setup,
            LogBuffers log) {
        return maker.make(transport, destination, channel, setup, log, log.spec().registrationId());
    }

    /** The image of a source that goes on in a log of its own. */
    NetworkImage staged(NetworkImage before, ChannelUri channel, ImageSetup setup, LogBuffers log) {
        return staged(before.transport(), before.endpoint(), channel, setup, log);
    }

    /** The image of a source whose peer writes the merged log. */
    NetworkImage direct(
            Transport transport,
            InboundEndpoint destination,
            ChannelUri channel,
            ImageSetup setup,
            LogBuffers merged) {
        return maker.make(transport, destination, channel, setup, merged, ids.getAsLong());
    }

    /** The image of a source that goes on in the merged log. */
    NetworkImage direct(
            NetworkImage before, ChannelUri channel, ImageSetup setup, LogBuffers merged) {
        return direct(before.transport(), before.endpoint(), channel, setup, merged);
    }

    /** Tells the subscribers that a source cannot be merged with another. */
    void tell(MergedImage image, MergedSource source, String reason) {
        subscriptions.tellFailed(
                image.endpoint(),
                image.streamId(),
                image.sessionId(),
                source.setup().source(),
                reason);
    }
}
