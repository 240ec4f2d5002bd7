// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogMerger;
import io.verbus.logbuffer.TestLogs;
import io.verbus.rdma.sim.FanOutNet.Place;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestSubscriber;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The images of one stream at all places of a net, merged into one image by the driver's rules, and
 * the subscriber of that image, which checks each message.
 */
final class MergedRails implements AutoCloseable {
    private static final int MAX_COPIED = 8192;

    /** One source of the image. */
    private record Source(
            Place place, TestDriver driver, TestImage image, LogMerger.Source frames) {
        boolean isActive() {
            return image.lost == null && image.endingAt < 0;
        }
    }

    private final FanOutNet net;
    private final List<Source> sources = new ArrayList<>();

    /** Images that were sources before. */
    private final Set<TestImage> closed = new HashSet<>();

    private LogBuffers log;
    private LogMerger merger;
    private TestSubscriber subscriber;

    /** The subscriber reads in one of this many turns; in every turn if 0. */
    int slowness;

    /** Time of the subscriber's last read, and the longest time without one. */
    private long readNs;

    long longestGapNs;

    MergedRails(FanOutNet net) {
        this.net = net;
        net.places.forEach(place -> place.reading = false);
    }

    /** Takes the image's turn, then the subscriber's. */
    void work() {
        sources.removeIf(source -> source.driver != source.place.driver || source.image.released);
        for (Place place : net.places) {
            for (TestImage image : place.driver.images) {
                boolean isKnown = sources.stream().anyMatch(source -> source.image == image);
                if (!isKnown && !closed.contains(image)) {
                    add(place, image);
                }
            }
        }
        if (log == null) {
            return;
        }
        for (Source source : List.copyOf(sources)) {
            merge(source);
        }
        if (slowness == 0 || net.random.nextInt(slowness) == 0) {
            if (subscriber.poll(1 + net.random.nextInt(20)) > 0) {
                readNs = net.nowNs;
            }
            longestGapNs = Math.max(longestGapNs, net.nowNs - readNs);
        }
    }

    private void add(Place place, TestImage image) {
        ImageSetup setup = image.setup;
        if (log == null) {
            log = TestLogs.create(setup.logSpec(1));
            merger = new LogMerger(log);
            subscriber = new TestSubscriber(setup, log, setup.position());
        }
        sources.add(
                new Source(
                        place,
                        place.driver,
                        image,
                        new LogMerger.Source(image.log(), setup.position())));
    }

    private void merge(Source source) {
        long released = subscriber.position();
        merger.merge(
                source.frames,
                released + FanOutNet.TERM_LENGTH,
                1 + net.random.nextInt(MAX_COPIED));
        long consumed = Math.min(source.frames.position(), released);
        if (consumed > source.image.position()) {
            source.image.position(consumed);
        }
        boolean isOver =
                !source.isActive()
                        && (source.frames.position() > merger.frontier() || isAtEnd(source));
        if (isOver) {
            sources.remove(source);
            closed.add(source.image);
            source.driver.transport.inbound().closeImage(source.image);
        }
    }

    private static boolean isAtEnd(Source source) {
        if (source.image.endingAt >= 0) {
            return source.frames.position() >= source.image.endingAt;
        }
        int termLength = FanOutNet.TERM_LENGTH;
        long at = source.frames.position();
        int bits = LogLayout.positionBitsToShift(termLength);
        return source.image
                        .log()
                        .term(LogLayout.partition(at, bits))
                        .getIntAcquire(LogLayout.termOffset(at, termLength))
                == 0;
    }

    /** Forgets the gaps so far. */
    void measure() {
        readNs = net.nowNs;
        longestGapNs = 0;
    }

    long position() {
        return subscriber == null ? -1 : subscriber.position();
    }

    /** Number of the next message. */
    long next() {
        return subscriber.next;
    }

    /** Returns whether one place alone could deliver the data that the image lacks. */
    boolean isCovered(Place place) {
        return place.isConnected()
                && sources.stream()
                        .anyMatch(
                                source ->
                                        source.place == place
                                                && source.isActive()
                                                && isNear(source.frames.position()));
    }

    private boolean isNear(long position) {
        return position <= merger.frontier()
                && merger.frontier() - position < FanOutNet.TERM_LENGTH / 4;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append("read up to ").append(position());
        text.append(", merged up to ").append(merger == null ? -1 : merger.frontier());
        for (Source source : sources) {
            text.append("\nplace ").append(source.place.number);
            text.append(" at ").append(source.frames.position());
            text.append(source.isActive() ? "" : " over").append(": ").append(source.image);
        }
        return text.toString();
    }

    @Override
    public void close() {
        if (log != null) {
            log.close();
        }
    }
}
