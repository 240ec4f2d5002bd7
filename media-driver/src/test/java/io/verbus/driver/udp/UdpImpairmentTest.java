// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.FragmentAssembler;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.LossReport;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.testing.LossyRelay;
import io.verbus.driver.testing.LossyRelay.Faults;

import org.agrona.CloseHelper;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Streams over paths that lose, duplicate, reorder and delay up to a fifth of the datagrams,
 * concurrently for half a minute: every message arrives once, in order.
 */
@Timeout(180)
@Tag("slow")
class UdpImpairmentTest {
    private static final int MAX_MESSAGE = 4000;
    private static final long RUN_NS =
            Long.getLong("verbus.impairment.seconds", 15) * 1_000_000_000L;

    /** By stream: stream 0 has the path without faults. */
    private static final List<Faults> FAULTS =
            List.of(
                    Faults.NONE,
                    new Faults(0.01, 0, 0, 0, 0),
                    new Faults(0.05, 0, 0, 0, 0),
                    new Faults(0.20, 0, 0, 0, 0),
                    new Faults(0, 0.20, 0, 0, 0),
                    new Faults(0, 0, 0.20, 0, 0),
                    new Faults(0, 0, 0, 0.20, 20),
                    new Faults(0.10, 0.10, 0.10, 0.10, 5),
                    new Faults(0.20, 0.20, 0.20, 0.20, 20));

    /** A stream over its own path. */
    private static final class Path implements AutoCloseable {
        final LossyRelay relay;
        final UdpMessages messages;
        final Subscription subscription;
        final ExclusivePublication publication;
        final FragmentAssembler handler;

        Path(Bus bus, int stream, long seed, String control) throws IOException {
            int port = UdpInteropTest.freePort();
            relay = new LossyRelay(seed + stream, FAULTS.get(stream), port);
            messages = new UdpMessages(seed + stream, MAX_MESSAGE);
            subscription = bus.addSubscription(udp(port) + "|cc=" + control, stream);
            publication =
                    bus.addExclusivePublication(udp(relay.port()) + "|term-length=64k", stream);
            handler =
                    new FragmentAssembler(
                            (buffer, at, size, h) -> messages.onMessage(buffer, at, size));
        }

        private static String udp(int port) {
            return "verbus:udp?endpoint=127.0.0.1:" + port;
        }

        void work(boolean isSending) {
            relay.poll();
            if (isSending && publication.offer(messages.buffer(), 0, messages.length()) > 0) {
                messages.onSent();
            }
            subscription.poll(handler, 10);
        }

        boolean isDone() {
            return messages.received() == messages.sent();
        }

        @Override
        public void close() throws IOException {
            relay.close();
        }
    }

    @Test
    void losesNothingOverImpairedPaths() throws IOException {
        long seed = System.nanoTime();
        List<Path> paths = new ArrayList<>();
        try (MediaDriver driver =
                        MediaDriver.launch(
                                Drivers.config().directory(DriverDirectory.uniquePath()).build());
                Bus bus = Drivers.connect(driver)) {
            for (int stream = 0; stream < FAULTS.size(); stream++) {
                // Both kinds of congestion control: cubic where the number is odd.
                paths.add(new Path(bus, stream, seed, stream % 2 == 0 ? "static" : "cubic"));
            }
            long end = System.nanoTime() + RUN_NS;
            while (System.nanoTime() < end) {
                paths.forEach(path -> path.work(true));
            }
            Await.until(
                    "the last messages",
                    () -> {
                        paths.forEach(path -> path.work(false));
                        return paths.stream().allMatch(Path::isDone);
                    });
            for (int stream = 0; stream < FAULTS.size(); stream++) {
                long received = paths.get(stream).messages.received();
                System.out.println(FAULTS.get(stream) + ": " + received + " messages");
                assertTrue(received > RUN_NS / 1_000_000_000 * 10, "stream " + stream + " crawls");
            }
            CountersReader counters = bus.counters();
            counters.forEach(
                    (id, type, key, label) -> {
                        if (type == CounterTypes.SYSTEM || label.startsWith("udp: ")) {
                            System.out.println(label + " " + counters.getCounterValue(id));
                        }
                    });
            assertRecovery(counters);
            assertReport(driver);
            assertEquals(List.of(), Drivers.errors(driver));
        } finally {
            CloseHelper.closeAll(paths);
        }
    }

    private static void assertRecovery(CountersReader counters) {
        for (String label :
                List.of(
                        "losses",
                        "NAKs sent",
                        "NAKs received",
                        "Retransmits sent",
                        "duplicate frames",
                        "Flow control under runs",
                        "round trips measured")) {
            assertTrue(value(counters, label) > 0, label);
        }
        assertEquals(0, value(counters, "Loss gap fills"));
        assertEquals(0, value(counters, "invalid frames from senders"));
        assertEquals(0, value(counters, "invalid frames from receivers"));
    }

    private static long value(CountersReader counters, String label) {
        long[] value = {-1};
        counters.forEach(
                (id, type, key, text) -> {
                    if (text.equals("udp: " + label) || text.equals(label)) {
                        value[0] = counters.getCounterValue(id);
                    }
                });
        return value[0];
    }

    private static void assertReport(MediaDriver driver) {
        Set<Integer> streams = new HashSet<>();
        try (LossReport report = LossReport.map(driver.directory().resolve(LossReport.NAME))) {
            report.forEach(
                    (observations, bytes, first, last, stream, session, channel, source) -> {
                        streams.add(stream);
                        assertTrue(bytes >= 32 * observations, bytes + " bytes");
                        assertTrue(first <= last);
                    });
        }
        assertTrue(streams.containsAll(Set.of(1, 2, 3, 7, 8)), "losses of streams " + streams);
        assertFalse(streams.contains(0), "losses of streams " + streams);
    }
}
