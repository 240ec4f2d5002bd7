// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.control.DestinationChange;
import io.verbus.logbuffer.BlockHandler;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.RawBlockHandler;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Receives the streams of all publishers to one stream id on one channel: an {@link Image} for
 * each. Polling is for one thread at a time; the rest is for any thread.
 */
public final class Subscription extends ChannelResource implements AutoCloseable {
    private static final Image[] NONE = {};

    private final int streamId;
    private final AvailableImageHandler available;
    private final UnavailableImageHandler unavailable;

    // Polling thread's: where the next poll begins.
    private int roundRobin;

    // Replaced as a whole, under this object's monitor, by the conductor or by close; read by all.
    private volatile Image[] images = NONE;
    private volatile boolean isClosed;

    // Under this object's monitor: the images that close has taken out.
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
     * Delivers fragments of the images in turn, each poll beginning with the next image.
     *
     * @param handler to call for each; see {@link Image} for what it throws.
     * @param fragmentLimit how many to deliver at most, over all images.
     * @return how many were delivered.
     * @throws IllegalArgumentException if there is no handler or the limit is negative.
     */
    public int poll(FragmentHandler handler, int fragmentLimit) {
        Image[] images = this.images;
        int length = images.length;
        if (length <= 1) { // and nothing is stored by who polls in a loop
            return length == 0
                    ? nothing(handler, fragmentLimit)
                    : images[0].poll(handler, fragmentLimit);
        }
        nothing(handler, fragmentLimit);
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
     * Delivers fragments of the images in turn, to a handler that says how to go on with the image.
     *
     * @param handler to call for each; see {@link Image} for what it throws.
     * @param fragmentLimit how many to deliver at most, over all images.
     * @return how many were delivered, aborted ones not counted.
     * @throws IllegalArgumentException if there is no handler or the limit is negative.
     */
    public int controlledPoll(ControlledFragmentHandler handler, int fragmentLimit) {
        Image[] images = this.images;
        int length = images.length;
        if (length <= 1) {
            return length == 0
                    ? nothing(handler, fragmentLimit)
                    : images[0].controlledPoll(handler, fragmentLimit);
        }
        nothing(handler, fragmentLimit);
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
     * Hands over whole frames of each image as they lie in its log, see {@link Image#blockPoll}.
     *
     * @param handler to call once for each image that has some.
     * @param blockLengthLimit bytes of the longest block of data of one image.
     * @return bytes that were handed over, of all images.
     * @throws IllegalArgumentException if there is no handler or the limit is negative.
     */
    public long blockPoll(BlockHandler handler, int blockLengthLimit) {
        nothing(handler, blockLengthLimit);
        long bytes = 0;
        for (Image image : images) {
            bytes += image.blockPoll(handler, blockLengthLimit);
        }
        return bytes;
    }

    /**
     * As {@link #blockPoll}, with the file that each block lies in, see {@link Image#rawPoll}.
     *
     * @throws IllegalArgumentException if there is no handler or the limit is negative.
     */
    public long rawPoll(RawBlockHandler handler, int blockLengthLimit) {
        nothing(handler, blockLengthLimit);
        long bytes = 0;
        for (Image image : images) {
            bytes += image.rawPoll(handler, blockLengthLimit);
        }
        return bytes;
    }

    /** Refuses what an image would refuse, if there were one. */
    private static int nothing(Object handler, int fragmentLimit) {
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

    /** How many images there are now. */
    public int imageCount() {
        return images.length;
    }

    /** Whether there is no image now. */
    public boolean hasNoImages() {
        return images.length == 0;
    }

    /** Whether there is an image that has not been closed. */
    public boolean isConnected() {
        for (Image image : images) {
            if (!image.isClosed()) {
                return true;
            }
        }
        return false;
    }

    /** The image of a publisher's session; null if there is none now. */
    public Image imageBySessionId(int sessionId) {
        for (Image image : images) {
            if (image.sessionId() == sessionId) {
                return image;
            }
        }
        return null;
    }

    /**
     * An image by its place among those that there are now.
     *
     * @throws IndexOutOfBoundsException if there are not so many.
     */
    public Image imageAtIndex(int index) {
        return images[index];
    }

    /** The images that there are now. */
    public List<Image> images() {
        return List.of(images);
    }

    /**
     * Visits the images that there are now.
     *
     * @param visitor called for each, on this thread.
     */
    public void forEachImage(Consumer<Image> visitor) {
        for (Image image : images) {
            visitor.accept(image);
        }
    }

    /**
     * Adds a destination to a subscription whose channel has {@code control-mode=manual}: a place
     * where it receives, too. Any thread but one of the bus's handlers; waits for the driver.
     *
     * @param destination such as {@code verbus:udp?endpoint=10.0.0.2:40123}, {@code verbus:ipc} or
     *     a spy's channel.
     * @throws RegistrationException if the driver refuses.
     * @throws BusException if it is no destination, or the subscription is closed.
     */
    public void addDestination(String destination) {
        owner.change(new DestinationChange.AddSource(registrationId(), checked(destination)));
    }

    /**
     * Removes a destination. Any thread but one of the bus's handlers; waits for the driver.
     *
     * @param destination as it was added.
     * @throws RegistrationException if the driver refuses.
     * @throws BusException if it is no destination, or the subscription is closed.
     */
    public void removeDestination(String destination) {
        owner.change(new DestinationChange.RemoveSource(registrationId(), checked(destination)));
    }

    /**
     * As {@link #addDestination}, without waiting: what fails is told to the error handler. Any
     * thread, handlers included.
     *
     * @return id of the command, see {@link Bus#isCommandActive}.
     * @throws BusException if it is no destination, or the subscription is closed.
     */
    public long asyncAddDestination(String destination) {
        return owner.changeLater(
                new DestinationChange.AddSource(registrationId(), checked(destination)));
    }

    /** As {@link #removeDestination}, without waiting, see {@link #asyncAddDestination}. */
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

    /** The first of {@link #localSocketAddresses}; null if there is none. */
    public String resolvedEndpoint() {
        List<String> addresses = localSocketAddresses();
        return addresses.isEmpty() ? null : addresses.getFirst();
    }

    /**
     * The channel with the port that the driver has chosen, where it asks for port 0.
     *
     * @return the channel as it is if it asks for no port 0; null if the port is not known, as
     *     before the channel is open.
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

    /** The stream id. */
    public int streamId() {
        return streamId;
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    /**
     * Closes the subscription and its images. Does not wait; the unavailable-image handler is
     * called on the client conductor's thread. Closing again does nothing.
     */
    @Override
    public void close() {
        if (markClosed()) {
            owner.release(this);
        }
    }

    /** Takes the images out and closes them; false if that was done before. */
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

    /** Adds an image, unless the subscription is closed. Conductor's thread. */
    synchronized boolean addImage(Image image) {
        if (isClosed) {
            return false;
        }
        Image[] more = Arrays.copyOf(images, images.length + 1);
        more[images.length] = image;
        images = more;
        return true;
    }

    /** Takes an image out and closes it; null if there is none of that id. Conductor's thread. */
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

    /** The driver is lost: takes all images out and closes them. Conductor's thread. */
    synchronized Image[] detach() {
        Image[] lost = isClosed ? takeClosedImages() : images;
        images = NONE;
        for (Image image : lost) {
            image.markClosed();
        }
        status(ChannelStatus.UNKNOWN);
        return lost;
    }

    /** The images that the subscription had when it was closed. Conductor's thread, once. */
    synchronized Image[] takeClosedImages() {
        Image[] taken = closedImages;
        closedImages = NONE;
        return taken;
    }

    /** Told of each image that joins. */
    public AvailableImageHandler availableImageHandler() {
        return available;
    }

    /** Told of each image that leaves. */
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
