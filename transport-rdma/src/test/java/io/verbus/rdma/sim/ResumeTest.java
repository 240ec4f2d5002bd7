// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.rdma.AcceptDecoder;
import io.verbus.codecs.rdma.AcceptEncoder;
import io.verbus.codecs.rdma.MessageHeaderDecoder;
import io.verbus.codecs.rdma.SetupDecoder;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Connections fail at any step of random schedules, also while they resume, with writes in flight
 * that may or may not land: every message is delivered exactly once, in order, in the same image.
 */
class ResumeTest {
    private static final int SCHEDULES = 1_000 * Integer.getInteger("verbus.lives", 1);
    private static final int SCHEDULES_TO_CATCH = 1_000;
    private static final long FIRST_SEED =
            Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
    private static final int STREAM = 42;
    private static final int MAX_TURNS = 60_000;
    private static final String[] OPTIONS = {
        "rdma.backoff-min", "1ms",
        "rdma.backoff-max", "2ms",
        "rdma.probe-timeout", "10ms",
        "rdma.probe-interval", "2ms",
        "rdma.status-interval", "2ms",
        "rdma.resume-timeout", "60s"
    };

    @TempDir Path directory;

    @Tag("slow")
    @Test
    void deliversExactlyOnceInOrderDespiteFailures() {
        int[] resumes = new int[1];
        AssertionError caught = firstCaught(SCHEDULES, net -> {}, net -> resumes[0] += live(net));
        if (caught != null) {
            throw caught;
        }
        assertTrue(resumes[0] > SCHEDULES / 4, resumes[0] + " streams went back");
    }

    /** Writes in flight still land after the conductor has scanned the image. */
    @Test
    void catchesScanBeforeQueuePairIsDestroyed() {
        assertNotNull(
                firstCaught(SCHEDULES_TO_CATCH, net -> net.network.closeLate(), ResumeTest::live));
    }

    @Test
    void catchesResumeAtSenderPosition() {
        assertNotNull(
                firstCaught(
                        SCHEDULES_TO_CATCH,
                        net -> net.network.tamper(new AtSenderPosition()::alter),
                        ResumeTest::live));
    }

    private AssertionError firstCaught(
            int schedules, Consumer<TwoDrivers> defect, Consumer<TwoDrivers> life) {
        for (int i = 0; i < schedules; i++) {
            long seed = FIRST_SEED + i;
            try (TwoDrivers net = new TwoDrivers(seed, directory, OPTIONS)) {
                net.maxTurns = MAX_TURNS;
                defect.accept(net);
                life.accept(net);
            } catch (AssertionError | RuntimeException e) {
                return new AssertionError(
                        "schedule " + i + " with -Dverbus.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        return null;
    }

    /** Returns how often the sender went back to the end of the image. */
    private static int live(TwoDrivers net) {
        if (net.random.nextInt(4) == 0) {
            net.network.completeAlone();
        }
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("connected", () -> stream.connected);
        TestImage image = net.b.image();
        boolean endsEarly = net.random.nextInt(4) == 0;
        for (int failures = 1 + net.random.nextInt(3); failures > 0; failures--) {
            for (int turns = net.random.nextInt(600); turns > 0; turns--) {
                net.reading = net.random.nextInt(50) == 0 ? net.random.nextBoolean() : net.reading;
                net.turn();
            }
            if (endsEarly && failures == 1) {
                stream.end();
                net.a.transport.outbound().closePublication(stream);
                for (int turns = net.random.nextInt(60); turns > 0; turns--) {
                    net.turn();
                }
            }
            fail(net);
        }
        if (!stream.isEnding()) {
            net.forMillis(net.random.nextInt(4));
            stream.end();
            net.a.transport.outbound().closePublication(stream);
        }
        net.reading = true;
        net.until("all read", () -> image.received == stream.offered && image.isEndOfStream());
        net.until("the end told", () -> image.endingAt == stream.finalPosition());
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        assertEquals(null, image.lost);
        assertEquals(List.of(image), net.b.images);
        return stream.resumes;
    }

    private static void fail(TwoDrivers net) {
        List<SimConnection> connections = net.a.fabric.connections();
        if (connections.isEmpty() || !connections.getFirst().sim().isConnected()) {
            return;
        }
        SimConnection connection = connections.getFirst();
        switch (net.random.nextInt(5)) {
            case 0 -> connection.breakLink("link flap");
            case 1 -> connection.sim().fail("transport retry counter exceeded");
            case 2 -> connection.sim().cut();
            case 3 -> connection.tellEnd("the connection manager says so");
            default -> connection.peer().tellEnd("the connection manager says so");
        }
    }

    /** B answers with A's sent position. */
    private static final class AtSenderPosition {
        private final MessageHeaderDecoder header = new MessageHeaderDecoder();
        private long sent;

        byte[] alter(byte[] message) {
            UnsafeBuffer buffer = new UnsafeBuffer(message);
            header.wrap(buffer, 0);
            if (header.templateId() == SetupDecoder.TEMPLATE_ID) {
                sent = new SetupDecoder().wrapAndApplyHeader(buffer, 0, header).position();
            } else if (header.templateId() == AcceptDecoder.TEMPLATE_ID) {
                new AcceptEncoder()
                        .wrap(buffer, MessageHeaderDecoder.ENCODED_LENGTH)
                        .position(sent);
            }
            return message;
        }
    }
}
