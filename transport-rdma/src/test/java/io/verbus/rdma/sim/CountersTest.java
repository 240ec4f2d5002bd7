// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Tests that the counters of connections and images match the traffic and the failures. */
class CountersTest {
    private static final int STREAM = 3;
    private static final String AT_A = "rdma to 10.0.0.2:7400: ";
    private static final String AT_B = " at 10.0.0.2:7400: ";

    @TempDir Path directory;

    @Test
    void countsTrafficOfConnection() {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory)) {
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            assertEquals(0, net.a.counter(AT_A + "state"));
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            net.until("carried", () -> stream.offered > 200);
            net.publishing = false;
            net.until(
                    "read",
                    () ->
                            net.b.image().position() == stream.position()
                                    && net.b.image().granted == stream.position());
            net.until("all complete", () -> net.connection().sim().free() == 256);
            SimQueuePair atA = net.connection().sim();
            assertEquals(2, net.a.counter(AT_A + "state"));
            assertEquals(2, net.b.counter(AT_B + "state"));
            assertEquals(atA.number(), net.a.counter(AT_A + "queue pair"));
            assertEquals(atA.peer().number(), net.b.counter(AT_B + "queue pair"));
            assertEquals(1, net.a.counter(AT_A + "connects"));
            assertEquals(0, net.a.counter(AT_A + "failures"));
            // Only the headers of padding are sent.
            long bytes = net.a.counter(AT_A + "bytes");
            assertTrue(bytes > 0 && bytes <= stream.position(), bytes + " bytes");
            long batches = net.a.counter(AT_A + "batches");
            assertTrue(batches > 0 && batches <= 200 + stream.offered, batches + " batches");
            long posted = net.a.counter(AT_A + "work requests");
            assertEquals(atA.completed(), posted);
            assertTrue(posted >= 2 * batches, posted + " work requests");
            assertTrue(net.a.counter(AT_A + "completions") > 0);
            long grants = net.b.counter("credit grants");
            assertEquals(grants, net.b.counter(AT_B + "batches"));
            assertEquals(16 * grants, net.b.counter(AT_B + "bytes"));
            assertTrue(net.a.counterText().contains(AT_A + "last failure: none=0"));
        }
    }

    @Test
    void labelsLostConnectionWithFailureAtBothEnds() {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory)) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("carried", () -> stream.offered > 20);
            net.connection().breakLink("somebody fell over the cable");
            net.until("continues", () -> stream.resumes > 0 || net.a.counter(AT_A + "resumes") > 0);
            assertEquals(1, net.a.counter(AT_A + "failures"));
            assertEquals(2, net.a.counter(AT_A + "connects"));
            String text = net.a.counterText();
            assertTrue(
                    text.contains(
                            AT_A
                                    + "last failure: the connection to 10.0.0.2:7400 is lost:"
                                    + " somebody fell over the cable=1"),
                    text);
            String atB = net.b.counterText();
            assertTrue(atB.contains(", ended: failures=1"), atB);
            assertTrue(
                    atB.contains(", ended: last failure: ")
                            && !atB.contains(", ended: last failure: none"),
                    atB);
            assertTrue(net.b.counterText().contains("rdma image: stream 3 session"), atB);
        }
    }

    @Test
    void reportsStateOfImage() {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory)) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("carried", () -> stream.offered > 20);
            assertEquals(1, imageState(net));
            net.connection().breakLink("cable");
            net.until("held", () -> imageState(net) == 2);
            net.until("continues", () -> imageState(net) == 1);
            assertTrue(
                    net.b
                            .counterText()
                            .lines()
                            .anyMatch(
                                    line ->
                                            line.startsWith("rdma image: ")
                                                    && line.endsWith(": resumes=1")),
                    net.b.counterText());
            net.b.transport.inbound().closeImage(net.b.image());
            net.b.subscribed.clear();
            net.until("gone", () -> net.b.images.isEmpty());
            assertEquals(-1, imageState(net));
            net.forMillis(3_000);
            assertFalse(net.b.counterText().contains("rdma image: "), net.b.counterText());
        }
    }

    /** State of the only image; -1 if there is none. */
    private static long imageState(TwoDrivers net) {
        return net.b
                .counterText()
                .lines()
                .filter(line -> line.startsWith("rdma image: ") && !line.contains(", ended: "))
                .filter(line -> line.contains(": state="))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf("state=") + 6)))
                .findAny()
                .orElse(-1);
    }
}
