// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.StrictDevice;
import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Tests drivers that close while a device blocks the calls that release their resources. */
@Tag("lab")
@Tag("strict")
@Timeout(120)
class BlockedCloseLabTest {
    private static final int STREAM = 42;
    private static final int PORT = 7410;
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final ChannelUri CHANNEL =
            ChannelUri.rdma(DeviceNet.ADDRESS_OF_B + ":" + PORT)
                    .termLength(64 * 1024)
                    .mtu(1408)
                    .build();

    @TempDir Path directory;
    private DeviceDriver a;
    private DeviceDriver b;

    @BeforeEach
    void start() {
        a = new DeviceDriver(DeviceNet.ADDRESS_OF_A, 1001, directory);
        b = new DeviceDriver(DeviceNet.ADDRESS_OF_B, 2001, directory);
    }

    @AfterEach
    void letGo() {
        StrictDevice.plan("");
        DeviceDriver.requireNothingOpen();
    }

    private void turn() {
        for (DeviceDriver each : List.of(a, b)) {
            long nowNs = System.nanoTime();
            each.conduct(nowNs);
            each.send(nowNs);
            each.receive(nowNs);
        }
        b.images.forEach(image -> image.poll(10));
    }

    /** Starts a stream whose last messages may be on their way. */
    private TestStream stream() {
        b.subscribe(CHANNEL, STREAM);
        TestStream stream = a.publish(CHANNEL, STREAM);
        until("connected", () -> stream.connected && !b.images.isEmpty());
        until(
                "some messages",
                () -> {
                    stream.clean();
                    stream.offer();
                    return b.image().received > 50;
                });
        return stream;
    }

    private void until(String what, BooleanSupplier condition) {
        long endNs = System.nanoTime() + LONGEST_WAIT_NS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - endNs < 0, () -> "never: " + what);
            turn();
        }
    }

    private static boolean isRegistered(LogBuffers log) {
        return isRegistered(log.address());
    }

    private static boolean isRegistered(long address) {
        return StrictDevice.isRegistered(address, 1, false);
    }

    private static boolean isHeld() {
        return StrictDevice.count("held") > 0;
    }

    /** Watches memory until a call was blocked and has returned. */
    private static final class Watch extends Thread {
        private final long address;
        private boolean isViolated;

        Watch(long address) {
            this.address = address;
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            boolean wasHeld = false;
            while (!wasHeld || isHeld()) {
                boolean isRegistered = isRegistered(address);
                boolean isHeld =
                        isHeld(); // checked afterwards, so that the call was blocked all the time
                wasHeld |= isHeld;
                isViolated |= isHeld && !isRegistered;
                Thread.onSpinWait();
            }
        }

        boolean isViolated() throws InterruptedException {
            join();
            return isViolated;
        }
    }

    private void close(DeviceDriver first, DeviceDriver second, LogBuffers log)
            throws InterruptedException {
        assertTrue(isRegistered(log));
        Watch watch = new Watch(log.address());
        StrictDevice.plan("rdma_destroy_qp:1:~500");
        first.close();
        assertFalse(watch.isViolated(), "deregistered before its queue pair was destroyed");
        second.close();
        assertEquals(List.of(), first.keptMapped);
    }

    @Test
    void deregistersPublicationAfterItsQueuePairIsDestroyed() throws InterruptedException {
        close(a, b, stream().log());
    }

    @Test
    void deregistersImageAfterItsQueuePairIsDestroyed() throws InterruptedException {
        stream();
        close(b, a, b.image().log());
    }

    @Test
    void keepsLogMappedAndRegisteredIfQueuePairIsNotDestroyedInTime() {
        LogBuffers log = stream().log();
        StrictDevice.plan("rdma_destroy_qp:1:~600000");
        long startNs = System.nanoTime();
        a.close();
        long tookNs = System.nanoTime() - startNs;

        assertTrue(tookNs < TimeUnit.SECONDS.toNanos(20), tookNs + " ns");
        assertEquals(List.of(log), a.keptMapped);
        assertTrue(isRegistered(log));
        assertTrue(
                a.errors.stream().anyMatch(error -> error.contains("did not destroy a queue")),
                a.errors.toString());
        log.term(0).getByte(0); // still mapped

        StrictDevice.plan("");
        until("it is deregistered once the device returns", () -> !isRegistered(log));
        log.close();
        b.close();
    }

    @Test
    void closesInBoundedTimeWhileDeviceBlocksListening() {
        StrictDevice.plan("rdma_listen:1:~600000");
        InboundEndpoint endpoint = b.open(CHANNEL);
        until("the call is blocked", BlockedCloseLabTest::isHeld);
        assertFalse(endpoint.opened().isDone());
        long startNs = System.nanoTime();
        b.close();
        long tookNs = System.nanoTime() - startNs;
        assertTrue(tookNs < TimeUnit.SECONDS.toNanos(20), tookNs + " ns");
        assertTrue(
                b.refusals().stream().anyMatch(each -> each.getMessage().contains("rdma_listen")),
                b.refusals().toString());
        StrictDevice.plan("");
        a.close();
    }
}
