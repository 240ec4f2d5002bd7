// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.control.DestinationChange;
import io.verbus.logbuffer.BlockHandler;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.MisuseChecks;
import io.verbus.logbuffer.MisuseException;
import io.verbus.logbuffer.RawBlockHandler;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Receives the streams of all publishers with one stream id on one channel, each as an {@link
 * Image}. One thread at a time may poll; all other methods are thread-safe. Created by {@link
 * Bus#addSubscription}.
 *
 * <pre>{@code
 * FragmentHandler handler =
 *         new FragmentAssembler(
 *                 (buffer, offset, length, header) -> onMessage(buffer, offset, length));
 * while (isRunning) {
 *     idleStrategy.idle(subscription.poll(handler, 10));
 * }
 * }</pre>
 */
public final class Subscription extends ChannelResource implements AutoCloseable {
    private static final Image[] NONE = {};

    private final int streamId;
    private final AvailableImageHandler available;
    private final UnavailableImageHandler unavailable;

    // Index of the image at which the next poll starts. Used by the polling thread only.
    private int roundRobin;

    // Replaced as a whole, under this object's monitor, by the conductor or by close; read by any
    // thread.
    private volatile Image[] images = NONE;
    private volatile boolean isClosed;

    // Images removed by close. Accessed under this object's monitor.
    private Image[] closedImages = NONE;

    Subscription(
            ChannelUri channel,
            int streamId,
            long registrationId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable,
            Owner owner) {
        super(channel, registrationId, ChannelStatus.UNKNOWN, owner);
        this.streamId = streamId;
        this.available = available;
        this.unavailable = unavailable;
    }

    /**
     * Delivers available fragments from one image after another. Each poll starts with the next
     * image.
     *
     * @param handler handler to call for each fragment; see {@link Image} for exceptions that it
     *     throws.
     * @param fragmentLimit maximum number of fragments to deliver over all images.
     * @return number of fragments delivered.
     * @throws IllegalArgumentException if the handler is null or the limit is negative.
     */
    public int poll(FragmentHandler handler, int fragmentLimit) {
        Image[] images = this.images;
        int length = images.length;
        if (length <= 1) { // a single image needs no store to roundRobin
            return length == 0
                    ? checkPoll(handler, fragmentLimit)
                    : images[0].poll(handler, fragmentLimit);
        }
        checkPoll(handler, fragmentLimit);
        int first = nextFirst(length);
        int count = 0;
        for (int i = first; i < length && count < fragmentLimit; i++) {
            count += images[i].poll(handler, fragmentLimit - count);
        }
        for (int i = 0; i < first && count < fragmentLimit; i++) {
            count += images[i].poll(handler, fragmentLimit - count);
        }
        return count;
    }

    /**
     * Delivers available fragments from one image after another to a handler whose result controls
     * how the poll of the current image continues.
     *
     * @param handler handler to call for each fragment; see {@link Image} for exceptions that it
     *     throws.
     * @param fragmentLimit maximum number of fragments to deliver over all images.
     * @return number of fragments delivered, not counting aborted fragments.
     * @throws IllegalArgumentException if the handler is null or the limit is negative.
     */
    public int controlledPoll(ControlledFragmentHandler handler, int fragmentLimit) {
        Image[] images = this.images;
        int length = images.length;
        if (length <= 1) {
            return length == 0
                    ? checkPoll(handler, fragmentLimit)
                    : images[0].controlledPoll(handler, fragmentLimit);
        }
        checkPoll(handler, fragmentLimit);
        int first = nextFirst(length);
        int count = 0;
        for (int i = first; i < length && count < fragmentLimit; i++) {
            count += images[i].controlledPoll(handler, fragmentLimit - count);
        }
        for (int i = 0; i < first && count < fragmentLimit; i++) {
            count += images[i].controlledPoll(handler, fragmentLimit - count);
        }
        return count;
    }

    /**
     * Delivers whole frames from each image in place; see {@link Image#blockPoll}.
     *
     * @param handler handler to call once for each image with available frames.
     * @param blockLengthLimit maximum length in bytes of one image's block.
     * @return number of bytes delivered over all images.
     * @throws IllegalArgumentException if the handler is null or the limit is negative.
     */
    public long blockPoll(BlockHandler handler, int blockLengthLimit) {
        checkPoll(handler, blockLengthLimit);
        long bytes = 0;
        for (Image image : images) {
            bytes += image.blockPoll(handler, blockLengthLimit);
        }
        return bytes;
    }

    /**
     * Delivers whole frames from each image, like {@link #blockPoll}, together with the file that
     * contains each block; see {@link Image#rawPoll}.
     *
     * @param handler handler to call once for each image with available frames.
     * @param blockLengthLimit maximum length in bytes of one image's block.
     * @return number of bytes delivered over all images.
     * @throws IllegalArgumentException if the handler is null or the limit is negative.
     */
    public long rawPoll(RawBlockHandler handler, int blockLengthLimit) {
        checkPoll(handler, blockLengthLimit);
        long bytes = 0;
        for (Image image : images) {
            bytes += image.rawPoll(handler, blockLengthLimit);
        }
        return bytes;
    }

    /** Checks the arguments of a poll as an image would; returns 0. */
    private int checkPoll(Object handler, int fragmentLimit) {
        if (MisuseChecks.ON && isClosed) {
            throw new MisuseException(this + " is closed: stop polling it");
        }
        if (handler == null || fragmentLimit < 0) {
            throw Image.refused(handler, fragmentLimit);
        }
        return 0;
    }

    private int nextFirst(int length) {
        int first = roundRobin < length ? roundRobin : 0;
        roundRobin = first + 1;
        return first;
    }

    /** Returns the current number of images. */
    public int imageCount() {
        return images.length;
    }

    /** Returns whether there is currently no image. */
    public boolean hasNoImages() {
        return images.length == 0;
    }

    /** Returns whether any image is not closed. */
    public boolean isConnected() {
        for (Image image : images) {
            if (!image.isClosed()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the image of a publisher's session, or null if there is none. */
    public Image imageBySessionId(int sessionId) {
        for (Image image : images) {
            if (image.sessionId() == sessionId) {
                return image;
            }
        }
        return null;
    }

    /**
     * Returns a current image by its index.
     *
     * @param index index from 0 to {@link #imageCount()} exclusive.
     * @return the image.
     * @throws IndexOutOfBoundsException if there is no image at the index.
     */
    public Image imageAtIndex(int index) {
        return images[index];
    }

    /** Returns the current images. */
    public List<Image> images() {
        return List.of(images);
    }

    /**
     * Calls a visitor with each current image.
     *
     * @param visitor visitor to call on this thread.
     */
    public void forEachImage(Consumer<Image> visitor) {
        for (Image image : images) {
            visitor.accept(image);
        }
    }

    /**
     * Adds a destination, from which the subscription then also receives. The subscription's
     * channel must have {@code control-mode=manual}. Waits for the driver. Thread-safe, but must
     * not be called from a handler of the bus.
     *
     * @param destination channel such as {@code verbus:udp?endpoint=10.0.0.2:40123}, {@code
     *     verbus:ipc} or a spy channel.
     * @throws RegistrationException if the driver rejects the destination.
     * @throws BusException if the destination is invalid, or the subscription is closed.
     */
    public void addDestination(String destination) {
        owner.change(new DestinationChange.AddSource(registrationId(), checked(destination)));
    }

    /**
     * Removes a destination. Removing a destination that the subscription does not have has no
     * effect. Blocks until the driver has answered. Thread-safe, but must not be called from a
     * handler of the bus.
     *
     * @param destination destination channel, as it was added.
     * @throws RegistrationException if the driver rejects the command.
     * @throws BusException if the destination is invalid, or the subscription is closed.
     */
    public void removeDestination(String destination) {
        owner.change(new DestinationChange.RemoveSource(registrationId(), checked(destination)));
    }

    /**
     * Adds a destination, like {@link #addDestination}, without waiting; failures are reported to
     * the error handler. Thread-safe; may be called from handlers.
     *
     * @param destination destination channel.
     * @return id to pass to {@link AsyncCommands#isActive}.
     * @throws BusException if the destination is invalid, or the subscription is closed.
     */
    public long asyncAddDestination(String destination) {
        return owner.changeLater(
                new DestinationChange.AddSource(registrationId(), checked(destination)));
    }

    /**
     * Removes a destination, like {@link #removeDestination}, without waiting; see {@link
     * #asyncAddDestination}.
     */
    public long asyncRemoveDestination(String destination) {
        return owner.changeLater(
                new DestinationChange.RemoveSource(registrationId(), checked(destination)));
    }

    private ChannelUri checked(String destination) {
        ChannelUri channel = ChannelUri.parse(destination);
        if (channel.isIpc() || channel.isSpy()) {
            channel.checkSubscribable();
        } else {
            channel.checkReceiveDestination();
        }
        checkOpen();
        return channel;
    }

    /** Returns the first of {@link #localSocketAddresses}, or null if there is none. */
    public String resolvedEndpoint() {
        List<String> addresses = localSocketAddresses();
        return addresses.isEmpty() ? null : addresses.getFirst();
    }

    /**
     * Returns the channel, with port 0 in its endpoint replaced by the port that the driver has
     * chosen.
     *
     * @return the resolved channel, or the channel unchanged if its port is not 0; null until the
     *     channel is open and the port is known.
     */
    public String tryResolveChannelEndpointPort() {
        ChannelUri channel = channel();
        if (!channel.hasEndpoint() || channel.endpoint().port() != 0) {
            return channelStatus() == ChannelStatus.ACTIVE ? channel.toString() : null;
        }
        String address = resolvedEndpoint();
        if (address == null) {
            return null;
        }
        String port = address.substring(address.lastIndexOf(':') + 1);
        String host = channel.endpoint().toString();
        String resolved = host.substring(0, host.length() - 1) + port;
        return channel.toString().replace("endpoint=" + host, "endpoint=" + resolved);
    }

    /** Returns the stream id. */
    public int streamId() {
        return streamId;
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    /**
     * Closes the subscription and its images. Does not wait; the unavailable-image handler is
     * called on the client conductor's thread. Idempotent.
     */
    @Override
    public void close() {
        if (markClosed()) {
            owner.release(this);
        }
    }

    /** Removes and closes all images. Returns false if the subscription is already closed. */
    synchronized boolean markClosed() {
        if (isClosed) {
            return false;
        }
        isClosed = true;
        closedImages = images;
        images = NONE;
        for (Image image : closedImages) {
            image.markClosed();
        }
        return true;
    }

    /**
     * Adds an image. Returns false if the subscription is closed. Called on the conductor's thread.
     */
    synchronized boolean addImage(Image image) {
        if (isClosed) {
            return false;
        }
        Image[] more = Arrays.copyOf(images, images.length + 1);
        more[images.length] = image;
        images = more;
        return true;
    }

    /**
     * Removes, closes and returns an image. Returns null if the id is unknown. Called on the
     * conductor's thread.
     */
    synchronized Image removeImage(long imageId) {
        Image[] old = images;
        for (int i = 0; i < old.length; i++) {
            if (old[i].imageId() == imageId) {
                Image image = old[i];
                Image[] fewer = Arrays.copyOf(old, old.length - 1);
                System.arraycopy(old, i + 1, fewer, i, old.length - i - 1);
                images = fewer;
                image.markClosed();
                return image;
            }
        }
        return null;
    }

    /**
     * Removes, closes and returns all images, because the driver is lost. Called on the conductor's
     * thread.
     */
    synchronized Image[] detach() {
        Image[] lost = isClosed ? takeClosedImages() : images;
        images = NONE;
        for (Image image : lost) {
            image.markClosed();
        }
        status(ChannelStatus.UNKNOWN);
        return lost;
    }

    /**
     * Returns, once, the images that the subscription had when it was closed. Called on the
     * conductor's thread.
     */
    synchronized Image[] takeClosedImages() {
        Image[] taken = closedImages;
        closedImages = NONE;
        return taken;
    }

    /** Returns the handler that is called for each image that joins. */
    public AvailableImageHandler availableImageHandler() {
        return available;
    }

    /** Returns the handler that is called for each image that leaves. */
    public UnavailableImageHandler unavailableImageHandler() {
        return unavailable;
    }

    @Override
    public String toString() {
        return "subscription "
                + registrationId()
                + " channel="
                + channel()
                + " stream="
                + streamId
                + " images="
                + images.length;
    }
}
