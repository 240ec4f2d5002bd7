// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.ChannelUriBuilder;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Driver A, which publishes to several destinations, and a driver for each of these, on one
 * simulated network. One thread gives agents, applications and network turns in random order.
 */
final class FanOutNet implements AutoCloseable {
    static final int STREAM = 42;
    static final int TERM_LENGTH = 64 * 1024;
    static final long TAG = 7;
    static final String CONTROL = "10.0.0.1:7401";

    /** One destination: its driver, and what its application has received. */
    final class Place {
        final int number;
        final boolean tagged;
        TestDriver driver;
        boolean reading = true;
        int slowness;

        /** Endpoints of its subscriptions. */
        private final List<InboundEndpoint> endpoints = new ArrayList<>();

        /** Ended images that were read to their end. */
        final List<TestImage> ended = new ArrayList<>();

        Place(int number, boolean tagged) {
            this.number = number;
            this.tagged = tagged;
            start();
        }

        /** The destination's address, as seen by A. */
        ChannelUri destination() {
            return ChannelUri.rdma(address() + ":7400").build();
        }

        private String address() {
            return "10.0.0." + (2 + number);
        }

        void start() {
            endpoints.clear();
            driver = new TestDriver(network, address(), nextDriverId += 100, directory, options);
            takeLong(driver);
        }

        InboundEndpoint subscribe() {
            ChannelUriBuilder channel = ChannelUri.rdma(address() + ":7400");
            if (isDynamic) {
                channel.control(CONTROL);
            }
            InboundEndpoint endpoint =
                    driver.subscribe((tagged ? channel.groupTag(TAG) : channel).build(), STREAM);
            endpoints.add(endpoint);
            return endpoint;
        }

        /** Closes its last subscription, and its images. */
        void leave() {
            endpoints.forEach(driver.transport.inbound()::closeEndpoint);
            endpoints.clear();
            driver.subscribed.clear();
            for (TestImage image : List.copyOf(driver.images)) {
                driver.transport.inbound().closeImage(image);
            }
        }

        /** The active image, besides those held in vain; null if there is none. */
        TestImage image() {
            TestImage open = null;
            for (TestImage image : driver.images) {
                boolean isOpen = image.lost == null && image.endingAt < 0 && image.movedAt < 0;
                boolean isFurthest = open == null || image.position() >= open.position();
                open = isOpen && isFurthest ? image : open;
            }
            return open;
        }

        /** Number of the message after the last one read from any image. */
        long next() {
            TestImage image = image();
            return image == null ? -1 : image.next;
        }

        /** Whether the destination has read everything published. */
        boolean isAtEnd(TestStream stream) {
            TestImage image = image();
            return image != null && image.position() == stream.position();
        }

        boolean isConnected() {
            return a.value("connected to " + address() + ":7400") == 1;
        }

        void read() {
            if (!reading || slowness > 0 && random.nextInt(slowness) != 0) {
                return;
            }
            for (int i = driver.images.size() - 1; i >= 0; i--) {
                TestImage image = driver.images.get(i);
                image.poll(1 + random.nextInt(20));
                if (image.isMoved()) {
                    driver.transport.inbound().closeImage(image);
                    continue;
                }
                boolean isOver = image.lost != null || image.endingAt >= 0 && image.isEndOfStream();
                if (isOver && !ended.contains(image)) {
                    if (image.endingAt >= 0 && image.position() != image.endingAt) {
                        throw new AssertionError("the image ends at " + image.endingAt);
                    }
                    ended.add(image);
                    driver.transport.inbound().closeImage(image);
                }
            }
        }

        void crash() {
            driver.crash();
            crashed.add(driver);
            start();
        }
    }

    final long seed;
    final Random random;
    final SimNetwork network;
    final Path directory;
    final TestDriver a;
    final List<Place> places = new ArrayList<>();
    private final String[] options;
    private final List<TestDriver> crashed = new ArrayList<>();
    private int nextDriverId = 1000;
    long nowNs;
    int maxTurns = 2_000_000;
    boolean publishing = true;

    /** Whether subscribers announce themselves. */
    boolean isDynamic;

    /**
     * Turns for each step of a slow task; 0 if it completes at once. An image is made within the
     * probe timeout of 20 ms, for which its publisher keeps the log for it.
     */
    final int pace;

    FanOutNet(long seed, Path directory, String... options) {
        this.seed = seed;
        this.directory = directory;
        this.options = options;
        random = new Random(seed);
        network = new SimNetwork(random.nextLong());
        a = new TestDriver(network, "10.0.0.1", 1, directory, options);
        pace = random.nextBoolean() ? 0 : 1 << random.nextInt(3);
        takeLong(a);
    }

    private void takeLong(TestDriver driver) {
        if (pace > 0) {
            driver.takeLong(new Random(random.nextLong()));
        }
    }

    Place place(boolean tagged) {
        Place place = new Place(places.size(), tagged);
        places.add(place);
        return place;
    }

    TestStream publish(String flowControl) {
        ChannelUriBuilder channel =
                isDynamic ? ChannelUri.rdmaDynamic(CONTROL) : ChannelUri.rdmaManual();
        return a.publish(
                channel.flowControl(flowControl).termLength(TERM_LENGTH).mtu(1408).build(), STREAM);
    }

    void add(TestStream stream, Place place) {
        a.transport.outbound().addDestination(stream, place.destination());
    }

    void remove(TestStream stream, Place place) {
        a.transport.outbound().removeDestination(stream, place.destination());
    }

    void until(String what, BooleanSupplier condition) {
        for (int i = 0; i < maxTurns; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            turn();
        }
        StringBuilder text = new StringBuilder();
        for (Place place : places) {
            text.append("\nplace ")
                    .append(place.number)
                    .append(place.tagged ? " tagged" : "")
                    .append(" next ")
                    .append(place.next())
                    .append(" images ")
                    .append(place.driver.images)
                    .append(" errors ")
                    .append(place.driver.errors);
        }
        throw new AssertionError(
                "never: "
                        + what
                        + "; seed "
                        + seed
                        + ", pace "
                        + pace
                        + "\n"
                        + a.errors
                        + text
                        + "\n"
                        + a.counterText());
    }

    void forMillis(long millis) {
        long end = nowNs + millis * 1_000_000;
        until("the time passes", () -> nowNs >= end);
    }

    void turn() {
        nowNs += random.nextInt(20_000);
        Place place = places.get(random.nextInt(places.size()));
        switch (random.nextInt(12)) {
            case 0 -> a.conduct(nowNs);
            case 1 -> place.driver.conduct(nowNs);
            case 2, 3 -> a.send(nowNs);
            case 4, 5 -> place.driver.receive(nowNs);
            case 6, 7 -> publish();
            case 8, 9 -> place.read();
            default -> {
                for (int i = random.nextInt(24); i > 0 && network.step(); i--) {
                    continue;
                }
            }
        }
        if (pace > 0 && random.nextInt(pace) == 0) {
            a.stepBackground();
            place.driver.stepBackground();
        }
    }

    private void publish() {
        for (int i = 0; i < a.streams.size(); i++) {
            TestStream stream = a.streams.get(i);
            stream.clean();
            for (int n = random.nextInt(10); publishing && n > 0 && stream.offer(); n--) {
                continue;
            }
        }
    }

    @Override
    public void close() {
        a.close();
        places.forEach(place -> place.driver.close());
        crashed.forEach(TestDriver::close);
    }
}
