// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
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
public final class Subscription implements AutoCloseable {
    private static final Image[] NONE = {};

    private final ChannelUri channel;
    private final int streamId;
    private final long registrationId;
    private final AvailableImageHandler available;
    private final UnavailableImageHandler unavailable;
    private final Consumer<Subscription> release;

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
            Consumer<Subscription> release) {
        this.channel = channel;
        this.streamId = streamId;
        this.registrationId = registrationId;
        this.available = available;
        this.unavailable = unavailable;
        this.release = release;
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

    /** The channel. */
    public ChannelUri channel() {
        return channel;
    }

    /** The stream id. */
    public int streamId() {
        return streamId;
    }

    /** Identity of this subscription at its driver. */
    public long registrationId() {
        return registrationId;
    }

    /** Whether {@link #close} was called, the bus was closed or the driver is lost. */
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
            release.accept(this);
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

    /** The images that the subscription had when it was closed. Conductor's thread, once. */
    synchronized Image[] takeClosedImages() {
        Image[] taken = closedImages;
        closedImages = NONE;
        return taken;
    }

    AvailableImageHandler availableImageHandler() {
        return available;
    }

    UnavailableImageHandler unavailableImageHandler() {
        return unavailable;
    }

    @Override
    public String toString() {
        return "subscription "
                + registrationId
                + " channel="
                + channel
                + " stream="
                + streamId
                + " images="
                + images.length;
    }
}
