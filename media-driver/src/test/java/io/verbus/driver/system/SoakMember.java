// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.Await;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One of the soak's subscribers: the processes that take its place one after another, and what each
 * of them may miss of what the one before had not read.
 */
final class SoakMember implements AutoCloseable {
    private static final long NONE = -1;

    private final String name;
    private final List<Integer> streams;

    /** Progress of the previous process on each stream. */
    private final long[] leftAt;

    private final long[] leftNext;
    private Child process;
    private SoakLedger ledger;
    private int processes;
    private boolean checked;
    private int gaps;
    private long missed;

    /**
     * @param name of it.
     * @param streams that it subscribes to.
     */
    SoakMember(String name, List<Integer> streams) {
        this.name = name;
        this.streams = streams;
        leftAt = new long[streams.size()];
        leftNext = new long[streams.size()];
        Arrays.fill(leftAt, NONE);
    }

    void start(Path folder, Path directory, String channel) {
        Path file = folder.resolve("ledger-" + name + "-" + processes++);
        ledger = SoakLedger.create(file, streams.size());
        checked = false;
        List<String> arguments = new ArrayList<>();
        arguments.add(SoakSubscriber.class.getName());
        arguments.add(directory.toString());
        arguments.add(channel);
        arguments.add(file.toString());
        streams.forEach(id -> arguments.add(Integer.toString(id)));
        process = Child.start("subscriber " + name, List.of(), folder, arguments);
    }

    void kill() {
        process.kill();
        remember();
    }

    /** Its driver was killed: the process notices and exits. */
    void awaitDriverLost() {
        process.assertEnd(SoakSubscriber.DRIVER_LOST);
        remember();
    }

    /** Ends the process like an operator. */
    void end() {
        process.endInput();
        process.assertEnd(0);
        remember();
    }

    private void remember() {
        for (int i = 0; i < streams.size(); i++) {
            if (ledger.images(i) > 0) {
                leftAt[i] = ledger.position(i);
                leftNext[i] = Math.max(leftNext[i], ledger.next(i));
            }
        }
        ledger.close();
        ledger = null;
    }

    /** The next expected message on each stream. */
    List<Long> next() {
        List<Long> next = new ArrayList<>();
        for (int i = 0; i < streams.size(); i++) {
            next.add(ledger.next(i));
        }
        assertTrue(process.isAlive(), this::toString);
        return next;
    }

    /** The next expected messages after the given number of further ones. */
    List<Long> targets(int messages) {
        List<Long> targets = new ArrayList<>();
        for (int i = 0; i < streams.size(); i++) {
            targets.add(Math.max(leftNext[i], ledger.next(i)) + messages);
        }
        return targets;
    }

    /**
     * A process has one image of each stream, which begins not before what the process before had
     * read. Where nobody else reads the stream, it begins not behind what was on its way, either:
     * credit leads two terms ahead at most.
     */
    void checkGaps() {
        for (int index = 0; index < streams.size(); index++) {
            int i = index;
            String where = "stream " + streams.get(i) + " of " + this;
            assertEquals(1, ledger.images(i), () -> "images of " + where);
            if (!checked && leftAt[i] != NONE) {
                long gap = ledger.joined(i) - leftAt[i];
                assertTrue(gap >= 0, () -> "read again: " + gap + " bytes of " + where);
                assertTrue(
                        streams.get(i) == SoakStreams.SHARED || gap <= 2L * SoakStreams.TERM_LENGTH,
                        () -> "missing: " + gap + " bytes of " + where);
                long missing = ledger.first(i) - leftNext[i];
                assertTrue(missing >= 0, () -> "read again: " + -missing + " messages of " + where);
                assertTrue(
                        gap > 0 || missing == 0,
                        () -> "missing without a gap: " + missing + " messages of " + where);
                gaps += missing > 0 ? 1 : 0;
                missed += missing;
            }
        }
        checked = true;
    }

    /** Waits until all accepted messages are read. */
    void awaitAll(SoakStreams published) {
        for (int i = 0; i < streams.size(); i++) {
            int index = i;
            Await.until(
                    () ->
                            "all %d messages of stream %d at %s"
                                    .formatted(
                                            published.accepted(streams.get(index)),
                                            streams.get(index),
                                            this),
                    60,
                    () -> next().get(index) == published.accepted(streams.get(index)));
        }
        checkGaps();
    }

    String gaps() {
        return name + ": " + processes + " processes, " + missed + " messages at " + gaps + " gaps";
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name);
        if (ledger != null) {
            for (int i = 0; i < streams.size(); i++) {
                text.append(" stream %d at message %d,".formatted(streams.get(i), ledger.next(i)));
            }
        }
        return text.append(' ').append(process).toString();
    }
}
