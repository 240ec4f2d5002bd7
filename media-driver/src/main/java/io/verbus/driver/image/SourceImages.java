// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.files.LogReceiver;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundTransport;

import java.util.function.LongSupplier;

/**
 * Creates logs and images for the sources of merged images, which clients do not see. Used by the
 * conductor's thread.
 */
public final class SourceImages {
    private final Maker maker;
    private final LogFiles files;
    private final LongSupplier ids;
    private final Subscriptions subscriptions;

    /** Creates the image of one source. */
    @FunctionalInterface
    public interface Maker {
        /**
         * @param id id of the image; the log's id if the image has a log of its own.
         */
        NetworkImage make(
                InboundTransport transport,
                InboundEndpoint destination,
                ChannelUri channel,
                ImageSetup setup,
                LogBuffers log,
                long id);
    }

    public SourceImages(
            Maker maker, LogFiles files, LongSupplier ids, Subscriptions subscriptions) {
        this.maker = maker;
        this.files = files;
        this.ids = ids;
        this.subscriptions = subscriptions;
    }

    /** Creates a log for a stream: the merged log, or a source's log. */
    void log(ImageSetup setup, LogReceiver receiver) {
        files.image(setup.logSpec(ids.getAsLong()), 0, setup.source(), receiver);
    }

    /** Frees a log that is not needed. */
    void free(LogBuffers log) {
        files.free(log);
    }

    /** Creates the image of a source with its own log. */
    NetworkImage staged(
            InboundTransport transport,
            InboundEndpoint destination,
            ChannelUri channel,
            ImageSetup setup,
            LogBuffers log) {
        return maker.make(transport, destination, channel, setup, log, log.spec().registrationId());
    }

    /** Creates the image of a source that continues in its own log. */
    NetworkImage staged(NetworkImage before, ChannelUri channel, ImageSetup setup, LogBuffers log) {
        return staged(before.transport(), before.endpoint(), channel, setup, log);
    }

    /** Creates the image of a source whose peer writes the merged log. */
    NetworkImage direct(
            InboundTransport transport,
            InboundEndpoint destination,
            ChannelUri channel,
            ImageSetup setup,
            LogBuffers merged) {
        return maker.make(transport, destination, channel, setup, merged, ids.getAsLong());
    }

    /** Creates the image of a source that continues in the merged log. */
    NetworkImage direct(
            NetworkImage before, ChannelUri channel, ImageSetup setup, LogBuffers merged) {
        return direct(before.transport(), before.endpoint(), channel, setup, merged);
    }

    /** Notifies the subscribers that a source cannot be merged. */
    void tell(MergedImage image, MergedSource source, String reason) {
        subscriptions
                .missing()
                .report(
                        image.endpoint(),
                        image.streamId(),
                        image.sessionId(),
                        source.setup().source(),
                        reason);
    }
}
