// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.StrictDevice;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.ChannelUriBuilder;
import io.verbus.channel.TimestampSettings;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestHost;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Driver A, which publishes to several destinations, and a driver for each of these, on the two
 * devices of the strict library. One thread gives agents and applications turns in random order.
 */
final class DeviceFan implements AutoCloseable {
    static final int TERM_LENGTH = 64 * 1024;
    private static final int STREAM = 42;
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    /** One destination: its driver, and the messages that its application has received. */
    final class Place {
        DeviceDriver driver;
        boolean isReading = true;
        int slowness;

        /** Images that were read up to their end. */
        final List<TestImage> ended = new ArrayList<>();

        private final String endpoint;

        Place(int port) {
            endpoint = DeviceNet.ADDRESS_OF_B + ":" + port;
            driver = driver(DeviceNet.ADDRESS_OF_B);
        }

        /** The destination's address, as A sees it. */
        ChannelUri destination() {
            return ChannelUri.rdma(endpoint).build();
        }

        /** Subscribes, and waits until peers can connect: a fault may refuse to let it listen. */
        void subscribe() {
            InboundEndpoint endpoint = driver.subscribe(destination(), STREAM);
            until("it listens", () -> endpoint.opened().isDone());
            TestHost.requireNotRefused(endpoint.opened());
        }

        void kill() {
            Faults.end(); // otherwise the dead driver's calls use them up
            driver.kill();
            driver = driver(DeviceNet.ADDRESS_OF_B);
        }

        /** Returns the open image that has come furthest, or null if there is none. */
        TestImage image() {
            TestImage open = null;
            for (TestImage image : driver.images) {
                boolean isOpen = image.lost == null && image.endingAt < 0 && image.movedAt < 0;
                boolean isFurthest = open == null || image.position() >= open.position();
                open = isOpen && isFurthest ? image : open;
            }
            return open;
        }

        boolean isAtEnd(TestStream stream) {
            TestImage image = image();
            return image != null && image.position() == stream.position();
        }

        boolean isConnected() {
            return a.value("connected to " + endpoint) == 1;
        }

        private void read() {
            if (!isReading || slowness > 0 && random.nextInt(slowness) != 0) {
                return;
            }
            for (TestImage image : List.copyOf(driver.images)) {
                image.poll(1 + random.nextInt(20));
                boolean isEnded = image.endingAt >= 0 && image.isEndOfStream();
                if (isEnded && image.position() != image.endingAt) {
                    throw new AssertionError("the image ends at " + image.endingAt);
                }
                if (image.isMoved() || image.lost != null || isEnded) {
                    ended.add(image);
                    driver.transport.inbound().closeImage(image);
                }
            }
        }
    }

    final Random random;
    final Faults faults;
    final DeviceDriver a;
    final List<Place> places = new ArrayList<>();
    boolean isPublishing = true;
    private final long seed;
    private final Path directory;
    private final String[] options;
    private long nextDriverId = 1000;

    DeviceFan(long seed, Path directory, String... options) {
        this.seed = seed;
        this.directory = directory;
        this.options = options;
        random = new Random(seed);
        faults = new Faults(random);
        StrictDevice.note("-Dverbus.seed=" + seed);
        a = driver(DeviceNet.ADDRESS_OF_A);
    }

    private DeviceDriver driver(String address) {
        nextDriverId += 1000;
        return new DeviceDriver(address, nextDriverId, directory, options);
    }

    Place place() {
        Place place = new Place(DeviceNet.PORT + places.size());
        places.add(place);
        return place;
    }

    TestStream publish(String flowControl) {
        ChannelUriBuilder channel = ChannelUri.rdmaManual();
        if (random.nextBoolean()) {
            channel.sendTimestamp(TimestampSettings.RESERVED);
        }
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
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > LONGEST_WAIT_NS) {
                throw new AssertionError("never: " + what + state());
            }
            turn();
        }
    }

    private String state() {
        StringBuilder text = new StringBuilder("; seed " + seed);
        text.append("\nerrors of A ").append(a.errors).append(a.refusals());
        for (Place place : places) {
            text.append("\nplace ")
                    .append(place.endpoint)
                    .append(place.isConnected() ? " connected, images " : ", images ")
                    .append(place.driver.images)
                    .append(" errors ")
                    .append(place.driver.errors)
                    .append(place.driver.refusals())
                    .append('\n')
                    .append(place.driver.counterText());
        }
        return text.append('\n').append(a.counterText()).toString();
    }

    void forMillis(long millis) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        until("the time passes", () -> System.nanoTime() - endNs >= 0);
    }

    private void turn() {
        long nowNs = System.nanoTime();
        Place place = places.get(random.nextInt(places.size()));
        switch (random.nextInt(12)) {
            case 0 -> a.conduct(nowNs);
            case 1 -> place.driver.conduct(nowNs);
            case 2, 3 -> a.send(nowNs);
            case 4, 5 -> place.driver.receive(nowNs);
            case 6, 7 -> publish();
            case 8, 9 -> place.read();
            default -> Thread.yield();
        }
    }

    private void publish() {
        for (int i = 0; i < a.streams.size(); i++) {
            TestStream stream = a.streams.get(i);
            stream.clean();
            for (int n = random.nextInt(10); isPublishing && n > 0 && stream.offer(); n--) {
                continue;
            }
        }
    }

    @Override
    public void close() {
        Faults.end();
        a.close();
        places.forEach(place -> place.driver.close());
        DeviceDriver.requireNothingOpen();
    }
}
