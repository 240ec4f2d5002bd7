// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.Bus;
import io.verbus.Publication;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The publishers of the soak, each with a thread: mostly slow, with occasional bursts. */
final class SoakStreams {
    /** Stream ids; messages of the last are fragmented. */
    static final List<Integer> IDS = List.of(1, 2, 3, 4);

    static final int TERM_LENGTH = 64 * 1024;
    static final String SETTINGS = "|term-length=64k|mtu=1408";

    /** The stream that both subscribers read. */
    static final int SHARED = 3;

    private static final int FRAGMENTED = 4;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int PERIOD = 1000;
    private static final int BURST = 300;

    private final List<Stream> streams = new ArrayList<>();
    private volatile boolean stopped;

    private static final class Stream {
        private final Publication publication;
        private final Writer writer;
        private volatile long accepted;

        private Stream(Publication publication, Writer writer) {
            this.publication = publication;
            this.writer = writer;
        }
    }

    SoakStreams(Bus bus, String channel, Tasks tasks) {
        for (int id : IDS) {
            Publication publication = bus.addPublication(channel, id);
            Stream stream = new Stream(publication, new Writer(publication, script(id)));
            streams.add(stream);
            tasks.start(() -> publish(stream));
        }
    }

    /** The script of a stream, different for each. */
    static Script script(int id) {
        return Script.upTo(7000 + id, id == FRAGMENTED ? 6000 : 1000);
    }

    private void publish(Stream stream) {
        while (!stopped) {
            long result = stream.writer.offer();
            stream.accepted = stream.writer.next();
            if (result <= 0 || stream.accepted % PERIOD >= BURST) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    /** Number of messages accepted on a stream. */
    long accepted(int id) {
        return streams.get(IDS.indexOf(id)).accepted;
    }

    boolean isConnected() {
        return streams.stream().allMatch(stream -> stream.publication.isConnected());
    }

    void stop() {
        stopped = true;
    }

    /** Call after the threads have ended. */
    String summary() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < streams.size(); i++) {
            Writer writer = streams.get(i).writer;
            text.append(
                    "  stream %d: %d messages, %d offers met back pressure, %d nobody%n"
                            .formatted(
                                    IDS.get(i),
                                    writer.next(),
                                    writer.backPressured(),
                                    writer.notConnected()));
        }
        return text.toString();
    }
}
