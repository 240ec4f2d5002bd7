// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.codecs.SourceLocation;
import io.aeron.logbuffer.FragmentHandler;
import io.verbus.perf.load.Recorder;
import io.verbus.perf.load.Recording;
import io.verbus.perf.load.Work;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Lets an archive at the other end record and replay streams. Not thread-safe. */
final class StreamRecorder implements Recorder {
    private static final int STREAM = 1003;
    private static final int REPLAY_STREAM = 1004;
    private static final int FRAGMENT_LIMIT = 64;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final Work work;
    private final Aeron aeron;
    private final AeronArchive archive;
    private final IdleStrategy idle;
    private final UnsafeBuffer message;
    private final String recorded;
    private long replayed;

    StreamRecorder(Work work, Aeron aeron, AeronArchive archive) {
        this.work = work;
        this.aeron = aeron;
        this.archive = archive;
        idle = work.idle().strategy();
        message = new UnsafeBuffer(new byte[work.length()]);
        recorded = "endpoint=" + work.reflector() + ":" + (work.port() + 1);
        archive.startRecording("aeron:udp?" + recorded, STREAM, SourceLocation.REMOTE);
    }

    @Override
    public Recording record(long count) {
        String channel =
                "aeron:udp?"
                        + recorded
                        + "|interface="
                        + work.initiator()
                        + "|mtu="
                        + work.mtu()
                        + "|term-length="
                        + work.termLength();
        long recordNs;
        long recordingId;
        long end;
        try (ExclusivePublication publication = aeron.addExclusivePublication(channel, STREAM)) {
            recordingId = awaitRecording(publication);
            long start = System.nanoTime();
            for (long i = 0; i < count; i++) {
                offer(publication, i);
            }
            end = publication.position();
            await(
                    "all messages to be recorded",
                    () -> archive.getMaxRecordedPosition(recordingId) >= end);
            recordNs = System.nanoTime() - start;
        }
        await(
                "the recording to stop",
                () -> archive.getStopPosition(recordingId) != AeronArchive.NULL_POSITION);
        long replayNs = replay(recordingId, count, end);
        archive.purgeRecording(recordingId);
        return new Recording(count, count * work.length(), recordNs, replayNs);
    }

    private long awaitRecording(ExclusivePublication publication) {
        long[] id = {Aeron.NULL_VALUE};
        await(
                "the archive to start recording",
                () -> {
                    id[0] =
                            archive.findLastMatchingRecording(
                                    0, recorded, STREAM, publication.sessionId());
                    return id[0] != Aeron.NULL_VALUE && publication.isConnected();
                });
        return id[0];
    }

    private void offer(ExclusivePublication publication, long number) {
        message.putLong(0, number);
        idle.reset();
        long deadline = 0;
        long result = publication.offer(message, 0, message.capacity());
        while (result < 0) {
            if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
                throw new IllegalStateException("the publication can no longer send: " + result);
            }
            long now = System.nanoTime();
            deadline = deadline == 0 ? now + LIMIT_NS : deadline;
            if (now - deadline > 0) {
                throw new IllegalStateException(
                        "could not send message " + number + " within 60 s");
            }
            idle.idle();
            result = publication.offer(message, 0, message.capacity());
        }
    }

    private long replay(long recordingId, long count, long end) {
        replayed = 0;
        FragmentHandler handler =
                (buffer, offset, length, header) -> {
                    if (buffer.getLong(offset) != replayed) {
                        throw new IllegalStateException(
                                "replayed message "
                                        + buffer.getLong(offset)
                                        + " instead of"
                                        + " "
                                        + replayed);
                    }
                    replayed++;
                };
        String channel = "aeron:udp?endpoint=" + work.initiator() + ":" + (work.port() + 2);
        long start = System.nanoTime();
        try (Subscription replay = archive.replay(recordingId, 0, end, channel, REPLAY_STREAM)) {
            long deadline = start + LIMIT_NS;
            while (replayed < count) {
                int fragments = replay.poll(handler, FRAGMENT_LIMIT);
                if (fragments == 0 && System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException(
                            "replayed only " + replayed + " of " + count + " messages");
                }
                deadline = fragments == 0 ? deadline : System.nanoTime() + LIMIT_NS;
                idle.idle(fragments);
            }
            return System.nanoTime() - start;
        }
    }

    private void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT_NS;
        idle.reset();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("timed out after 60 s while waiting for " + what);
            }
            idle.idle();
        }
    }
}
