// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.StrictDevice;
import io.verbus.channel.ChannelUri;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestHost;
import io.verbus.transport.TestStream;
import io.verbus.transport.Transport;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Driver A, which publishes, and driver B, which subscribes, on the two devices of the strict
 * library. One thread gives agents and applications turns in random order; threads of the devices
 * and of the fabrics' calls run beside, so that a seed does not determine everything.
 */
final class DeviceNet implements LifeNet, AutoCloseable {
    static final int DEVICE_OF_B = 0;
    static final int DEVICE_OF_A = 1;
    static final int PORT = 7400;
    static final String ADDRESS_OF_A = "127.7.0.2";
    static final String ADDRESS_OF_B = "127.7.0.1";
    private static final ChannelUri CHANNEL =
            ChannelUri.rdma(ADDRESS_OF_B + ":" + PORT).termLength(64 * 1024).mtu(1408).build();
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    final Random random;
    private final long seed;
    private final Path directory;
    private final String[] options;
    final Faults faults;

    /** Turns per step of a slow call; 0 if these run at once. */
    private final int pace;

    private DeviceDriver a;
    private DeviceDriver b;
    private InboundEndpoint endpointOfB;
    private long nextDriverId;
    private boolean isReading = true;

    DeviceNet(long seed, Path directory, String... options) {
        this.seed = seed;
        this.directory = directory;
        this.options = options;
        random = new Random(seed);
        pace = random.nextBoolean() ? 0 : 1 << random.nextInt(5);
        faults = new Faults(random);
        StrictDevice.note("-Dverbus.seed=" + seed);
        nextDriverId = 1 + random.nextInt(1000);
        a = driver(ADDRESS_OF_A);
        b = driver(ADDRESS_OF_B);
    }

    private DeviceDriver driver(String address) {
        nextDriverId += 1000;
        DeviceDriver driver = new DeviceDriver(address, nextDriverId, directory, options);
        if (pace > 0) {
            driver.takeLong(new Random(random.nextLong()));
        }
        return driver;
    }

    @Override
    public Random random() {
        return random;
    }

    @Override
    public ChannelUri channel() {
        return CHANNEL;
    }

    @Override
    public DeviceDriver a() {
        return a;
    }

    @Override
    public DeviceDriver b() {
        return b;
    }

    @Override
    public Transport transportOfA() {
        return a.transport;
    }

    @Override
    public Transport transportOfB() {
        return b.transport;
    }

    @Override
    public InboundEndpoint endpoint() {
        if (endpointOfB == null) {
            endpointOfB = awaitListening(b.open(CHANNEL));
        }
        return endpointOfB;
    }

    /** Subscribes B to a stream, and waits until A can connect. */
    void subscribe(int stream) {
        awaitListening(b.subscribe(CHANNEL, stream));
    }

    /** Waits until peers can connect: a fault may refuse to let the endpoint listen. */
    private InboundEndpoint awaitListening(InboundEndpoint endpoint) {
        until("it listens", () -> endpoint.opened().isDone());
        TestHost.requireNotRefused(endpoint.opened());
        return endpoint;
    }

    @Override
    public void reading(boolean reading) {
        isReading = reading;
    }

    @Override
    public void breakSomething() {
        switch (random.nextInt(12)) {
            case 0 -> killA();
            case 1 -> killB();
            case 2 -> replace(DEVICE_OF_B);
            default -> faults.next(random.nextInt(2));
        }
    }

    private void killA() {
        Faults.end(); // otherwise the dead driver's calls use them up
        a.kill();
        a = driver(ADDRESS_OF_A);
    }

    private void killB() {
        Faults.end();
        b.kill();
        endpointOfB = null;
        b = driver(ADDRESS_OF_B);
        endpoint();
    }

    @Override
    public void replaceDevice() {
        replace(DEVICE_OF_A);
    }

    private void replace(int device) {
        StrictDevice.remove(device);
        forMillis(random.nextInt(3));
        StrictDevice.add(device);
    }

    @Override
    public void heal() {
        Faults.end();
    }

    @Override
    public int connectionsOfA() {
        return a.fabric.last() == null ? 0 : 1;
    }

    @Override
    public int connectionsOfB() {
        return b.fabric.last() == null ? 0 : 1;
    }

    @Override
    public long queuePairs() {
        until("every queue pair is destroyed", () -> StrictDevice.count("queue-pairs") == 0);
        return 0;
    }

    @Override
    public void until(String what, BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > LONGEST_WAIT_NS) {
                throw new AssertionError("never: " + what + state());
            }
            turn();
        }
    }

    private String state() {
        return "; seed %d, pace %d%nerrors of A %s %s%nerrors of B %s %s%nstreams %s%nimages of B %s%n%s%s"
                .formatted(
                        seed,
                        pace,
                        a.errors,
                        a.refusals(),
                        b.errors,
                        b.refusals(),
                        a.streams.stream()
                                .map(
                                        stream ->
                                                stream.log().spec().streamId()
                                                        + (stream.connected ? " connected" : "")
                                                        + (stream.isEnding() ? " ending" : ""))
                                .toList(),
                        b.images,
                        a.counterText(),
                        b.counterText());
    }

    @Override
    public void forMillis(long millis) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        until("the time passes", () -> System.nanoTime() - endNs >= 0);
    }

    /** Gives one of the agents or applications a turn. */
    void turn() {
        long nowNs = System.nanoTime();
        switch (random.nextInt(12)) {
            case 0 -> a.conduct(nowNs);
            case 1 -> b.conduct(nowNs);
            case 2, 3 -> a.send(nowNs);
            case 4 -> a.receive(nowNs);
            case 5, 6 -> b.receive(nowNs);
            case 7 -> b.send(nowNs);
            case 8 -> publish();
            case 9 -> read();
            default -> Thread.yield();
        }
        if (pace > 0 && random.nextInt(pace) == 0) {
            a.stepBackground();
            b.stepBackground();
        }
    }

    private void publish() {
        for (int i = 0; i < a.streams.size(); i++) {
            TestStream stream = a.streams.get(i);
            stream.clean();
            for (int n = random.nextInt(6); n > 0 && stream.offer(); n--) {
                continue;
            }
        }
    }

    private void read() {
        for (int i = 0; isReading && i < b.images.size(); i++) {
            b.images.get(i).poll(1 + random.nextInt(20));
        }
    }

    /** Closes both drivers; fails if they leave anything open on the devices. */
    @Override
    public void close() {
        Faults.end();
        a.close();
        b.close();
        DeviceDriver.requireNothingOpen();
    }
}
