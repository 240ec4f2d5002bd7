// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.TestStream;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Driver A, which publishes, and driver B, which subscribes, on one simulated network. One thread
 * gives their agents, their applications and the network turns in random order, on a clock of its
 * own.
 */
final class TwoDrivers implements AutoCloseable {
    static final ChannelUri CHANNEL =
            ChannelUri.rdma("10.0.0.2:7400").termLength(64 * 1024).mtu(1408).build();

    final long seed;
    final Random random;
    final SimNetwork network;
    final Path directory;
    private final List<TestDriver> crashed = new ArrayList<>();
    TestDriver a;
    TestDriver b;
    long nowNs;
    int maxTurns = 2_000_000;

    /** Turns for each step of a slow task; 0 if it completes at once. */
    private final int pace;

    /** Stops the progress of slow tasks. */
    boolean isBackgroundStopped;

    /** Whether the applications publish and read. */
    boolean publishing = true;

    boolean reading = true;

    TwoDrivers(long seed, Path directory, String... options) {
        this(seed, directory, options, options);
    }

    TwoDrivers(long seed, Path directory, String[] optionsOfA, String[] optionsOfB) {
        this(seed, directory, pace(new Random(seed)), optionsOfA, optionsOfB);
    }

    /** Creates two drivers whose slow tasks take turns. */
    static TwoDrivers takingLong(long seed, Path directory, String... options) {
        return new TwoDrivers(seed, directory, 1, options, options);
    }

    private static int pace(Random random) {
        return random.nextBoolean() ? 0 : 1 << random.nextInt(7);
    }

    private TwoDrivers(
            long seed, Path directory, int pace, String[] optionsOfA, String[] optionsOfB) {
        this.seed = seed;
        this.pace = pace;
        this.directory = directory;
        random = new Random(seed);
        network = new SimNetwork(random.nextLong());
        a = new TestDriver(network, "10.0.0.1", 1 + random.nextInt(1000), directory, optionsOfA);
        b = new TestDriver(network, "10.0.0.2", 2000 + random.nextInt(1000), directory, optionsOfB);
        takeLong(a);
        takeLong(b);
    }

    private void takeLong(TestDriver driver) {
        if (pace > 0) {
            driver.takeLong(new Random(random.nextLong()));
        }
    }

    /** Takes turns until the condition holds. */
    void until(String what, BooleanSupplier condition) {
        for (int i = 0; i < maxTurns; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            turn();
        }
        throw new AssertionError(
                "never: "
                        + what
                        + "; seed "
                        + seed
                        + ", pace "
                        + pace
                        + "\nerrors of A "
                        + a.errors
                        + "\nerrors of B "
                        + b.errors
                        + "\nimages of B "
                        + b.images
                        + "\n"
                        + a.counterText()
                        + b.counterText());
    }

    /** Takes turns for a time, measured on the simulated clock. */
    void forMillis(long millis) {
        long end = nowNs + millis * 1_000_000;
        until("the time passes", () -> nowNs >= end);
    }

    void turn() {
        nowNs += random.nextInt(20_000);
        switch (random.nextInt(12)) {
            case 0 -> a.conduct(nowNs);
            case 1 -> b.conduct(nowNs);
            case 2, 3 -> a.send(nowNs);
            case 4 -> a.receive(nowNs);
            case 5, 6 -> b.receive(nowNs);
            case 7 -> b.send(nowNs);
            case 8 -> publish();
            case 9 -> read();
            default -> land();
        }
        if (pace > 0 && !isBackgroundStopped && random.nextInt(pace) == 0) {
            a.stepBackground();
            b.stepBackground();
        }
    }

    private void land() {
        for (int i = random.nextInt(24); i > 0 && network.step(); i--) {
            continue;
        }
    }

    private void publish() {
        for (int i = 0; i < a.streams.size(); i++) {
            TestStream stream = a.streams.get(i);
            stream.clean();
            for (int n = random.nextInt(6); publishing && n > 0 && stream.offer(); n--) {
                continue;
            }
        }
    }

    private void read() {
        for (int i = 0; reading && i < b.images.size(); i++) {
            b.images.get(i).poll(1 + random.nextInt(20));
        }
    }

    /** Replaces A, which has crashed, by another driver. */
    void restartA() {
        crashed.add(a);
        a = new TestDriver(network, "10.0.0.1", 5000 + random.nextInt(1000), directory);
        takeLong(a);
    }

    /** Replaces B, which has crashed, by another driver. */
    void restartB() {
        crashed.add(b);
        b = new TestDriver(network, "10.0.0.2", 7000 + random.nextInt(1000), directory);
        takeLong(b);
    }

    /** The only connection, at A's end. */
    SimConnection connection() {
        if (a.fabric.connections().size() != 1) {
            throw new AssertionError(a.fabric.connections().size() + " connections");
        }
        return a.fabric.connections().getFirst();
    }

    @Override
    public void close() {
        a.close();
        b.close();
        crashed.forEach(TestDriver::close);
    }
}
