// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.Header;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;
import io.verbus.logbuffer.TestLogs;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

class FragmentAssemblerTest {
    private static final int BEGIN = FrameHeader.FLAG_BEGIN;
    private static final int END = FrameHeader.FLAG_END;
    private static final int TERM = 1 << 20;
    private static final UnsafeBuffer LOG = new UnsafeBuffer(new byte[TERM]);

    private final List<byte[]> messages = new ArrayList<>();
    private final FragmentHandler collect =
            (buffer, offset, length, header) -> {
                byte[] message = new byte[length];
                buffer.getBytes(offset, message);
                messages.add(message);
            };

    /** A session's stream, with the position of its next fragment. */
    private static final class Session {
        private final Header header;
        private long position;
        private long reservedValue;

        private Session(int sessionId) {
            header =
                    new Header(
                            new LogSpec(
                                    LogType.CONCURRENT_PUBLICATION,
                                    1,
                                    sessionId,
                                    2,
                                    3,
                                    TERM,
                                    8192,
                                    0));
        }

        void end() {
            TestLogs.closeStream(header);
        }

        void send(FragmentHandler to, int flags, byte[] payload) {
            send(to, flags, new UnsafeBuffer(payload), 0, payload.length);
        }

        void send(FragmentHandler to, int flags, DirectBuffer buffer, int offset, int length) {
            int frameLength = FrameHeader.LENGTH + length;
            long word = FrameHeader.word(frameLength, flags, FrameHeader.TYPE_DATA);
            int termOffset = (int) (position % TERM);
            LOG.putLong(termOffset + FrameHeader.RESERVED_VALUE, reservedValue);
            header.wrap(LOG, termOffset, word, position);
            to.onFragment(buffer, offset, length, header);
            position += FrameHeader.align(frameLength);
        }
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void deliversUnfragmentedMessagesInPlace() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[100]);
        List<DirectBuffer> seen = new ArrayList<>();
        FragmentAssembler assembler =
                new FragmentAssembler(
                        (from, offset, length, header) -> {
                            seen.add(from);
                            assertEquals(7, offset);
                            assertEquals(20, length);
                        });
        new Session(1).send(assembler, BEGIN | END, buffer, 7, 20);
        assertSame(buffer, seen.get(0));
    }

    @Test
    void reassemblesFragments() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session session = new Session(1);
        session.send(assembler, BEGIN, new byte[] {1, 2});
        session.send(assembler, 0, new byte[] {});
        session.send(assembler, 0, new byte[] {3});
        assertEquals(0, messages.size());
        session.send(assembler, END, new byte[] {4, 5});
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5}, messages.get(0));
    }

    @Test
    void passesHeaderOfWholeMessage() {
        for (boolean ofOneImage : new boolean[] {false, true}) {
            List<String> seen = new ArrayList<>();
            FragmentHandler note =
                    (buffer, offset, length, header) ->
                            seen.add(
                                    header.flags()
                                            + " "
                                            + header.frameLength()
                                            + " "
                                            + header.position()
                                            + " "
                                            + header.termOffset()
                                            + " "
                                            + header.termId()
                                            + " "
                                            + header.sessionId()
                                            + " "
                                            + header.reservedValue());
            FragmentHandler assembler =
                    ofOneImage ? new ImageFragmentAssembler(note) : new FragmentAssembler(note);
            Session session = new Session(9);
            session.position = 2L * TERM + 64;
            session.reservedValue = 77;
            session.send(assembler, BEGIN, new byte[32]);
            session.reservedValue = 78;
            session.send(assembler, 0, new byte[32]);
            session.send(assembler, END, new byte[5]);
            session.send(assembler, BEGIN | END, new byte[5]);
            session.send(assembler, BEGIN, new byte[64]);
            session.send(assembler, END, new byte[1]);
            long at = 2L * TERM + 64;
            assertEquals(
                    List.of(
                            "192 101 " + (at + 192) + " 64 5 9 77",
                            "192 37 " + (at + 256) + " 256 5 9 78",
                            "192 97 " + (at + 416) + " 320 5 9 78"),
                    seen);
        }
    }

    @Test
    void freesIncompleteMessagesOfEndedSessions() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        byte[] part = new byte[8160];
        for (int sessionId = 0; sessionId < 20; sessionId++) {
            Session session = new Session(sessionId);
            int parts = MessageBuilder.MAX_LENGTH / part.length;
            session.send(assembler, BEGIN, part);
            for (int i = 2; i < parts; i++) {
                session.send(assembler, 0, part);
            }
            if (sessionId % 2 == 0) {
                session.send(assembler, END, part);
                assertEquals(parts * part.length, messages.removeFirst().length);
            } else {
                session.end();
            }
        }
        assertTrue(assembler.capacity() <= FragmentAssembler.MAX_KEPT, assembler.capacity() + " B");
        assembler.clear();
        assertEquals(0, assembler.capacity());
    }

    @Test
    void reusesBuffersBetweenMessages() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session session = new Session(1);
        Session other = new Session(2);
        long capacity = 0;
        for (int i = 0; i < 10; i++) {
            session.send(assembler, BEGIN, new byte[8160]);
            other.send(assembler, BEGIN, new byte[8160]);
            session.send(assembler, END, new byte[8160]);
            other.send(assembler, END, new byte[8160]);
            if (i == 0) {
                capacity = assembler.capacity();
            }
            assertEquals(capacity, assembler.capacity());
        }
        assertEquals(20, messages.size());
    }

    @Test
    void assemblesSessionsIndependently() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session one = new Session(1);
        Session two = new Session(2);
        one.send(assembler, BEGIN, new byte[] {1});
        two.send(assembler, BEGIN, new byte[] {2});
        one.send(assembler, END, new byte[] {11});
        two.send(assembler, END, new byte[] {22});
        assertArrayEquals(new byte[] {1, 11}, messages.get(0));
        assertArrayEquals(new byte[] {2, 22}, messages.get(1));
    }

    @Test
    void dropsMessagesWithoutFirstFragment() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session session = new Session(1);
        session.send(assembler, 0, new byte[] {1});
        session.send(assembler, END, new byte[] {2});
        session.send(assembler, BEGIN, new byte[] {3});
        session.send(assembler, END, new byte[] {4});
        session.send(assembler, END, new byte[] {5});
        assertEquals(1, messages.size());
        assertArrayEquals(new byte[] {3, 4}, messages.get(0));
    }

    @Test
    void dropsMessageWhenNextMessageBegins() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session session = new Session(1);
        session.send(assembler, BEGIN, new byte[] {1});
        session.send(assembler, BEGIN, new byte[] {2});
        session.send(assembler, END, new byte[] {3});
        assertEquals(1, messages.size());
        assertArrayEquals(new byte[] {2, 3}, messages.get(0));
    }

    @Test
    void dropsMessageWithGap() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session session = new Session(1);
        session.send(assembler, BEGIN, new byte[] {1});
        session.position += 32;
        session.send(assembler, END, new byte[] {2});
        assertEquals(0, messages.size());
    }

    @Test
    void dropsMessagesLongerThanMaximum() {
        byte[] part = new byte[8160];
        for (FragmentHandler assembler :
                List.of(new FragmentAssembler(collect), new ImageFragmentAssembler(collect))) {
            Session session = new Session(1);
            session.send(assembler, BEGIN, part);
            for (int length = part.length; length <= MessageBuilder.MAX_LENGTH; ) {
                session.send(assembler, 0, part);
                length += part.length;
            }
            session.send(assembler, END, part);
            assertEquals(0, messages.size());
            session.send(assembler, BEGIN, part);
            session.send(assembler, END, part);
            assertEquals(2 * part.length, messages.removeFirst().length);
        }
    }

    @Test
    void dropsIncompleteMessageWhenSessionIsFreed() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session session = new Session(1);
        session.send(assembler, BEGIN, new byte[] {1});
        assertTrue(assembler.freeSession(1));
        assertFalse(assembler.freeSession(1));
        session.send(assembler, END, new byte[] {2});
        assertEquals(0, messages.size());
        session.send(assembler, BEGIN, new byte[] {1});
        assembler.clear();
        session.send(assembler, END, new byte[] {2});
        assertEquals(0, messages.size());
    }

    @Property(tries = 200)
    void deliversOnlyCompleteMessagesOfRandomSequence(@ForAll @LongRange(min = 0) long seed) {
        Random random = new Random(seed);
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session[] sessions = {new Session(1), new Session(2), new Session(3)};
        Map<Session, byte[]> begun = new HashMap<>();
        List<byte[]> expected = new ArrayList<>();
        messages.clear();
        for (int i = 0; i < 300; i++) {
            Session session = sessions[random.nextInt(sessions.length)];
            int flags = (random.nextBoolean() ? BEGIN : 0) | (random.nextBoolean() ? END : 0);
            byte[] payload = bytes(random, random.nextInt(6000));
            if (random.nextInt(20) == 0) {
                session.position += 32;
                begun.remove(session);
            }
            byte[] before = (flags & BEGIN) != 0 ? new byte[0] : begun.get(session);
            byte[] now = before == null ? null : concat(before, payload);
            boolean isWhole = flags == (BEGIN | END);
            if (now != null && (flags & END) != 0) {
                expected.add(now);
                // A whole message is passed on; the gap then drops the incomplete message of its
                // session.
                begun.remove(session);
            } else if (now != null) {
                begun.put(session, now);
            }
            session.send(assembler, flags, payload);
            assertTrue(!isWhole || messages.size() == expected.size());
        }
        assertEquals(expected.size(), messages.size());
        for (int i = 0; i < expected.size(); i++) {
            assertArrayEquals(expected.get(i), messages.get(i));
        }
    }

    private static byte[] concat(byte[] one, byte[] two) {
        byte[] both = Arrays.copyOf(one, one.length + two.length);
        System.arraycopy(two, 0, both, one.length, two.length);
        return both;
    }
}
