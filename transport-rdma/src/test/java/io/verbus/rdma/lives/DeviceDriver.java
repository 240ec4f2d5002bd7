// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.StrictDevice;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.rdma.RdmaTransport;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.verbs.VerbsFabric;
import io.verbus.transport.InboundImage;
import io.verbus.transport.TestHost;
import io.verbus.transport.Transport;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A driver with the RDMA transport, on the strict device. */
final class DeviceDriver extends TestHost {
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final List<String> OPEN =
            List.of("queue-pairs", "regions", "domains", "completion-queues", "ids");
    private static final int MAX_COUNTERS = 1024;

    /** Write order that suits the device. */
    static final String ORDER = System.getenv().getOrDefault("VERBUS_RDMA_ORDER", "trust");

    final WatchedFabric fabric;
    final RdmaTransport transport;

    /** Added by threads of the fabric's calls. */
    private final Queue<Throwable> refusals = new ConcurrentLinkedQueue<>();

    private boolean isOver;
    private boolean isKilled;

    /**
     * @param address address of its device, which it connects from.
     */
    DeviceDriver(String address, long driverId, Path directory, String... options) {
        super(driverId, directory, MAX_COUNTERS, with(address, options));
        fabric = new WatchedFabric(VerbsFabric.open(refusals::add));
        transport = new RdmaTransport(this, fabric, RdmaOptions.of(this), System.nanoTime());
    }

    private static String[] with(String address, String... options) {
        Stream<String> own =
                Stream.of(
                        "rdma.interface", address,
                        "rdma.allow", "127.7.0.0/24",
                        "rdma.order", ORDER);
        return Stream.concat(own, Stream.of(options)).toArray(String[]::new);
    }

    @Override
    protected Transport transport() {
        return transport;
    }

    /** Returns the results that the device's calls have reported. */
    List<Throwable> refusals() {
        return new ArrayList<>(refusals);
    }

    @Override
    public void onImageLost(InboundImage image, String reason) {
        // A driver that closes reports it before its queue pairs are destroyed.
        if (!isOver && isRegistered(image.log(), true)) {
            throw new AssertionError("an image is lost while a peer can still write its log");
        }
        super.onImageLost(image, reason);
    }

    @Override
    protected void free(LogBuffers log) {
        if (isRegistered(log, false)) {
            throw new AssertionError("a log is released while it is registered");
        }
        super.free(log);
    }

    private static boolean isRegistered(LogBuffers log, boolean isWritten) {
        return StrictDevice.isRegistered(log.address(), 1, isWritten);
    }

    /** Runs a duty cycle of the conductor, while the driver runs. */
    void conduct(long nowNs) {
        if (!isOver) {
            transport.conduct(nowNs);
        }
    }

    void send(long nowNs) {
        if (!isOver) {
            transport.send(nowNs);
        }
    }

    void receive(long nowNs) {
        if (!isOver) {
            transport.receive(nowNs);
        }
    }

    @Override
    public void stepBackground() {
        if (!isOver) {
            super.stepBackground();
        }
    }

    /** Kills the process: the kernel closes its resources, and the driver does nothing more. */
    void kill() {
        isKilled = true;
        close();
    }

    /**
     * Waits until nothing is open on the devices, because calls may outlast the end of a driver;
     * fails if the closed drivers of this process have left anything.
     */
    static void requireNothingOpen() {
        long endNs = System.nanoTime() + LONGEST_WAIT_NS;
        while (OPEN.stream().anyMatch(what -> StrictDevice.count(what) > 0)
                && System.nanoTime() - endNs < 0) {
            Thread.onSpinWait();
        }
        for (String what : OPEN) {
            assertEquals(0, StrictDevice.count(what), what + " that are not destroyed");
        }
    }

    @Override
    protected void closeTransport() {
        isOver = true;
        closeBackground();
        if (isKilled) {
            fabric.close();
        } else {
            transport.close();
        }
    }
}
