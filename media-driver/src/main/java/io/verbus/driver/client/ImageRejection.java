// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import io.verbus.codecs.control.ErrorCode;
import io.verbus.control.CommandEncoder;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.CommandFailures;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.image.Images;
import io.verbus.driver.image.MergedImage;
import io.verbus.driver.image.NetworkImage;
import io.verbus.driver.publication.IpcPublication;
import io.verbus.driver.publication.Publication;
import io.verbus.driver.publication.Publications;
import io.verbus.driver.subscription.Subscribable;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.logbuffer.FrontierScanner;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.OptionalLong;

/**
 * Rejects an image on behalf of a client: the image ends for all subscribers, the publisher
 * receives the reason, and the driver ignores the stream for a while. Used by the conductor's
 * thread.
 */
public final class ImageRejection {
    /** Address that Aeron reports for a subscriber that reads shared memory. */
    private static final InetSocketAddress SHARED_MEMORY = new InetSocketAddress("127.0.0.1", 0);

    private final Subscriptions subscriptions;
    private final Publications publications;
    private final Images images;
    private final EventEncoder events;
    private final CommandFailures failures;
    private final AtomicCounter rejected;

    public ImageRejection(
            Subscriptions subscriptions,
            Publications publications,
            Images images,
            EventEncoder events,
            CommandFailures failures,
            AtomicCounter rejected) {
        this.subscriptions = subscriptions;
        this.publications = publications;
        this.images = images;
        this.events = events;
        this.failures = failures;
        this.rejected = rejected;
    }

    /**
     * Rejects an image.
     *
     * @param clientId client that rejects the image.
     * @param position position up to which the client has read the image.
     * @param nowNs monotonic time.
     * @throws CommandException if the image is unknown, or cannot be rejected.
     */
    void reject(long clientId, long imageId, long position, String reason, long nowNs) {
        if (reason.length() > CommandEncoder.MAX_REASON) {
            throw failure(
                    "the reason has "
                            + reason.length()
                            + " bytes: shorten it to at most "
                            + CommandEncoder.MAX_REASON);
        }
        Subscribable source = subscriptions.sources().get(imageId);
        if (source == null) {
            throw failure(
                    "there is no image "
                            + imageId
                            + ": reject an image of an open subscription before the image ends");
        }
        if (!source.subscribers().isOf(clientId)) {
            throw failure(
                    "client "
                            + clientId
                            + " does not read image "
                            + imageId
                            + ": reject an image of one of its subscriptions");
        }
        String why =
                "client "
                        + clientId
                        + " has rejected the image of stream "
                        + source.streamId()
                        + " session "
                        + source.sessionId()
                        + " at position "
                        + position
                        + ": "
                        + reason;
        switch (source) {
            case Publication publication when isDamaged(publication) -> {
                publications.fail(publication, why);
                failures.record(CommandFailures.Kind.DAMAGED_LOG, clientId, why);
            }
            case IpcPublication publication -> {
                events.imageRejected(
                        publication.spec(), -1, -1, OptionalLong.empty(), SHARED_MEMORY, reason);
                publication.reject(why, nowNs);
            }
            case MergedImage image ->
                    image.reject(why, each -> images.reject(each, why, reason, nowNs));
            case NetworkImage image -> {
                if (isDamaged(image)) {
                    images.recordDamage(image, why);
                }
                images.reject(image, why, reason, nowNs);
            }
            default ->
                    throw failure(
                            "spies cannot reject the publication that they read: close the"
                                    + " subscription");
        }
        rejected.incrementRelease();
    }

    /** Returns whether the log contains an invalid frame, which no subscriber can read past. */
    private static boolean isDamaged(Subscribable source) {
        long position = source.subscribers().positions().released();
        return FrontierScanner.scan(source.log(), position).defect() != null;
    }

    private static CommandException failure(String message) {
        return new CommandException(ErrorCode.GENERIC_ERROR, message);
    }
}
