// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.SystemEpochNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

@Timeout(30)
class ReceiptTimeTest {
    private static final long MS = 1_000_000;
    private static final long DEADLINE_NS = 10_000 * MS;
    private static final int ADAPTER_MESSAGE = 64;
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final UnsafeBuffer datagram = new UnsafeBuffer(ByteBuffer.allocateDirect(2048));
    private final ReceiptTime time = new ReceiptTime();

    private static long now() {
        return SystemEpochNanoClock.INSTANCE.nanoTime();
    }

    private static void awaitClockPast(long timeNs) {
        while (now() <= timeNs) {
            Thread.onSpinWait();
        }
    }

    private static void await(ReceiveBatch in, DatagramSocket socket, int count) {
        long begin = System.nanoTime();
        int received = 0;
        while (received < count) {
            received += in.receive(socket);
            assertTrue(System.nanoTime() - begin < DEADLINE_NS, "nothing arrives");
            Thread.onSpinWait();
        }
        assertEquals(count, received);
    }

    private static boolean isHere(InetSocketAddress address) {
        try (DatagramSocket socket = DatagramSocket.open(address)) {
            return socket.localAddress().getPort() != 0;
        } catch (SocketException e) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1, false",
        "127.0.0.1, 0.0.0.0, true",
        "::1, ::1, true",
        "::1, ::, false"
    })
    void readsKernelReceiveTime(String host, String bound, boolean isOfAdapter) throws Exception {
        InetSocketAddress here = new InetSocketAddress(InetAddress.getByName(host), 0);
        Assumptions.assumeTrue(isHere(here), host + " is no address of this host");
        try (DatagramSocket from = DatagramSocket.open(here);
                DatagramSocket to =
                        DatagramSocket.open(
                                new InetSocketAddress(InetAddress.getByName(bound), 0));
                SendBatch out = new SendBatch(1);
                ReceiveBatch in = new ReceiveBatch(4, 2048)) {
            to.tellLocal();
            to.receiveJoined();
            to.tellTime(isOfAdapter);
            from.connect(new InetSocketAddress(here.getAddress(), to.localAddress().getPort()));
            long begin = now();
            long before;
            long after;
            do { // the kernel begins some time after the first request of a host
                before = now();
                out.add(new SocketAddress(), datagram.addressOffset(), 100);
                assertEquals(1, out.send(from.fd()));
                after = now();
                awaitClockPast(after + 5 * MS);
                await(in, to, 1);
                in.readTime(0, time);
                assertTrue(time.kernelNs() >= before && time.kernelNs() <= now());
                assertTrue(now() - begin < DEADLINE_NS, "the kernel writes no time of receipt");
            } while (time.kernelNs() > after + 4 * MS);
            assertEquals(0, time.adapterNs(), "the loopback device has no timestamps");
            assertEquals(from.localAddress(), in.source(0).toInet());
            assertTrue(in.source(0).infoSize() > 0, "the local address was cut off");
        }
    }

    @Test
    void joinedDatagramsShareOneTimestamp() {
        try (DatagramSocket from = DatagramSocket.open(ANY);
                DatagramSocket to = DatagramSocket.open(ANY);
                SendBatch out = new SendBatch(4, 64);
                ReceiveBatch in = new ReceiveBatch(16, 4096)) {
            Assumptions.assumeTrue(
                    from.canSegment() && to.receiveJoined(), "this kernel joins no datagrams");
            to.tellTime(false);
            from.connect(to.localAddress());
            out.joins(true);
            long before = now();
            for (int i = 0; i < 10; i++) {
                out.add(new SocketAddress(), datagram.addressOffset() + i * 100, 100);
            }
            assertEquals(10, out.send(from.fd()));
            await(in, to, 1);
            assertEquals(1000, in.length(0));
            in.readTime(0, time);
            assertTrue(time.kernelNs() >= before && time.kernelNs() <= now());
        }
    }

    @Test
    void readsTimeWithoutSystemCallsOrAllocation() {
        try (DatagramSocket from = DatagramSocket.open(ANY);
                DatagramSocket to = DatagramSocket.open(ANY);
                DatagramSocket other = DatagramSocket.open(ANY);
                SendBatch out = new SendBatch(4);
                ReceiveBatch in = new ReceiveBatch(4, 64)) {
            assertFalse(to.tellsTime());
            to.tellTime(true);
            assertTrue(to.tellsTime());
            from.connect(to.localAddress());
            com.sun.management.ThreadMXBean threads =
                    (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            SocketAddress none = new SocketAddress();
            long calls = 0;
            long allocated = 0;
            for (int i = 0; i < 40_000; i++) {
                if (i == 20_000) {
                    calls = in.calls();
                    allocated = threads.getCurrentThreadAllocatedBytes();
                }
                out.add(none, datagram.addressOffset(), 64);
                out.send(from.fd());
                if (in.receive(to) != 1) {
                    throw new AssertionError("nothing has arrived");
                }
                in.readTime(0, time);
                if (time.kernelNs() == 0) {
                    throw new AssertionError("the datagram has no time");
                }
                in.receive(other); // whose headers have no room for times
            }
            long more = threads.getCurrentThreadAllocatedBytes() - allocated;
            assertEquals(40_000, in.calls() - calls);
            assertTrue(more < 4096, more + " bytes were allocated");
        }
    }

    @Test
    void readsAdapterTimeInAdditionToKernelTime() {
        UnsafeBuffer controls = new UnsafeBuffer(ByteBuffer.allocateDirect(256));
        int at = 8;
        at = put(controls, at, LinuxAbi.SO_TIMESTAMPNS, 1, 7, 8);
        at = put(controls, at, LinuxAbi.SO_TIMESTAMPING, 3, 1_700_000_000L, 123_456_789L);
        assertEquals(8 + 32 + ADAPTER_MESSAGE, at);
        time.read(controls, 8, at - 8);
        assertEquals(7_000_000_008L, time.kernelNs());
        assertEquals(1_700_000_000_123_456_789L, time.adapterNs());
        time.read(controls, 8, 32);
        assertEquals(7_000_000_008L, time.kernelNs());
        assertEquals(0, time.adapterNs(), "the time of an earlier datagram is left over");
        time.read(controls, 8, 0);
        assertEquals(0, time.kernelNs());
    }

    /** Adds a control message of some times, of which the last one is set. */
    private static int put(
            UnsafeBuffer controls, int at, int type, int times, long seconds, long nanoseconds) {
        int length = LinuxAbi.ControlMessage.VALUE + times * LinuxAbi.Time.SIZE;
        controls.putLong(at + LinuxAbi.ControlMessage.LENGTH, length);
        controls.putInt(at + LinuxAbi.ControlMessage.LEVEL, LinuxAbi.SOL_SOCKET);
        controls.putInt(at + LinuxAbi.ControlMessage.TYPE, type);
        int last = at + length - LinuxAbi.Time.SIZE;
        controls.putLong(last + LinuxAbi.Time.SECONDS, seconds);
        controls.putLong(last + LinuxAbi.Time.NANOSECONDS, nanoseconds);
        return at + length;
    }
}
