// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.ExclusivePublication;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.codecs.SourceLocation;
import io.verbus.driver.Await;
import io.verbus.driver.files.DriverDirectory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Aeron's archive records over UDP and is killed. Two drivers, the archive, and the test, which
 * publishes, are processes.
 */
@Tag("soak")
@Timeout(300)
class KilledArchiveTest {
    private static final int STREAM = 3_010;
    private static final int TERM_LENGTH = 64 * 1024;
    private static final String ANY_PORT = "aeron:udp?endpoint=127.0.0.1:0";

    /** An archive assumes that a younger mark file belongs to a live process. */
    private static final long MARK_FILE_NS = TimeUnit.SECONDS.toNanos(10);

    @TempDir Path folder;

    private final Path far = DriverDirectory.uniquePath();
    private final Path near = DriverDirectory.uniquePath();
    private final Recorded messages = new Recorded();
    private final String control = channel();
    private final String recorded = channel();
    private long published;

    private static String channel() {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return "aeron:udp?endpoint=127.0.0.1:" + socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Child archive() {
        List<String> arguments =
                List.of(
                        ArchiveChild.class.getName(),
                        near.toString(),
                        folder.resolve("archive").toString(),
                        control,
                        ANY_PORT);
        Child archive = Child.start("archive", List.of(), folder, arguments);
        archive.await("ready");
        return archive;
    }

    private AeronArchive connect(Aeron aeron) {
        return AeronArchive.connect(
                new AeronArchive.Context()
                        .aeron(aeron)
                        .ownsAeronClient(false)
                        .controlRequestChannel(control)
                        .controlResponseChannel(ANY_PORT));
    }

    @Test
    void replaysAcknowledgedMessagesAndExtendsRecording() {
        try (Child farDriver = Child.driver(List.of(), folder, far);
                Child nearDriver = Child.driver(List.of(), folder, near);
                Aeron aeron =
                        Aeron.connect(new Aeron.Context().aeronDirectoryName(far.toString()))) {
            long acknowledged;
            long recordingId;
            try (Child archive = archive();
                    AeronArchive client = connect(aeron);
                    ExclusivePublication publication =
                            aeron.addExclusivePublication(
                                    recorded + "|term-length=" + TERM_LENGTH, STREAM)) {
                client.startRecording(recorded, STREAM, SourceLocation.REMOTE);
                recordingId = recordingOf(client);
                acknowledged = publishUntilKilled(publication, client, recordingId, archive);
            }
            LockSupport.parkNanos(MARK_FILE_NS); // a time that Aeron requires, not a condition
            try (Child archive = archive();
                    AeronArchive client = connect(aeron)) {
                long stop = client.getStopPosition(recordingId);
                assertNotEquals(AeronArchive.NULL_POSITION, stop, "the recording has ended");
                assertTrue(stop >= acknowledged, stop + " is before " + acknowledged);
                assertEquals(0, stop % Recorded.FRAME, "whole messages");
                Recorded.verify(client, recordingId, stop, channel());
                extend(aeron, client, recordingId, stop);
                assertTrue(archive.isAlive(), archive.toString());
            }
            assertTrue(farDriver.isAlive() && nearDriver.isAlive());
            assertEquals(List.of(), ErrorLog.read(near));
            assertEquals(List.of(), ErrorLog.read(far));
        }
    }

    private static long recordingOf(AeronArchive client) {
        List<Long> ids = new ArrayList<>();
        Await.until(
                "a recording",
                () ->
                        client.listRecordings(
                                        0,
                                        1,
                                        (session,
                                                correlation,
                                                id,
                                                startTime,
                                                stopTime,
                                                start,
                                                stop,
                                                term,
                                                segment,
                                                terms,
                                                mtu,
                                                sessionId,
                                                stream,
                                                channel,
                                                original,
                                                source) -> ids.add(id))
                                > 0);
        return ids.getFirst();
    }

    /** Publishes at full speed while the archive is killed, so that it is recording. */
    private long publishUntilKilled(
            ExclusivePublication publication,
            AeronArchive client,
            long recordingId,
            Child archive) {
        long acknowledged = 0;
        while (acknowledged < 32 * TERM_LENGTH) {
            messages.publish(publication, published, published + 50);
            published += 50;
            acknowledged = client.getRecordingPosition(recordingId);
        }
        for (int i = 0; i < 50 && messages.offer(publication, published); i++) {
            published++;
        }
        archive.kill();
        return acknowledged;
    }

    /**
     * The stream continues after the end of the recording: the publisher still has the rest, and
     * sends it.
     */
    private void extend(Aeron aeron, AeronArchive client, long recordingId, long stop) {
        int[] initialTermId = new int[1];
        client.listRecording(
                recordingId,
                (session,
                        correlation,
                        id,
                        startTime,
                        stopTime,
                        startPosition,
                        stopPosition,
                        term,
                        segment,
                        terms,
                        mtu,
                        sessionId,
                        stream,
                        channel,
                        original,
                        source) -> initialTermId[0] = term);
        String channel =
                new ChannelUriStringBuilder(recorded)
                        .initialPosition(stop, initialTermId[0], TERM_LENGTH)
                        .build();
        client.extendRecording(recordingId, recorded, STREAM, SourceLocation.REMOTE);
        try (ExclusivePublication publication = aeron.addExclusivePublication(channel, STREAM)) {
            long first = stop / Recorded.FRAME;
            messages.publish(publication, first, first + 5_000);
            Recorded.await(client, recordingId, (first + 5_000) * Recorded.FRAME);
        }
        Await.until(
                "the end of the recording",
                () -> client.getStopPosition(recordingId) != AeronArchive.NULL_POSITION);
        long end = client.getStopPosition(recordingId);
        assertEquals((stop / Recorded.FRAME + 5_000) * Recorded.FRAME, end);
        Recorded.verify(client, recordingId, end, channel());
    }
}
