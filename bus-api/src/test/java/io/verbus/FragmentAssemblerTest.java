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
    private static final int TERM = 1 << 26;

    private final List<byte[]> messages = new ArrayList<>();
    private final FragmentHandler collect =
            (buffer, offset, length, header) -> {
                byte[] message = new byte[length];
                buffer.getBytes(offset, message);
                messages.add(message);
            };

    /** A session's stream: where its next fragment lies. */
    private static final class Session {
        private final Header header;
        private long position;

        private Session(int sessionId) {
            header = new Header(new LogSpec(1, sessionId, 2, 3, TERM, 8192, 0));
        }

        void send(FragmentHandler to, int flags, byte[] payload) {
            send(to, flags, new UnsafeBuffer(payload), 0, payload.length);
        }

        void send(FragmentHandler to, int flags, DirectBuffer buffer, int offset, int length) {
            int frameLength = FrameHeader.LENGTH + length;
            long word = FrameHeader.word(frameLength, flags, FrameHeader.TYPE_DATA);
            header.wrap(buffer, (int) (position % TERM), word, position);
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
    void passesWholeMessagesOnWhereTheyLie() {
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
    void joinsFragments() {
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
    void passesOnTheHeaderOfTheLastFragment() {
        List<Long> positions = new ArrayList<>();
        FragmentAssembler assembler =
                new FragmentAssembler((b, o, l, header) -> positions.add(header.position()));
        Session session = new Session(1);
        session.send(assembler, BEGIN, new byte[32]);
        session.send(assembler, END, new byte[32]);
        assertEquals(List.of(128L), positions);
    }

    @Test
    void keepsSessionsApart() {
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
    void dropsMessagesWithoutABeginning() {
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
    void dropsAMessageThatIsBegunAnew() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session session = new Session(1);
        session.send(assembler, BEGIN, new byte[] {1});
        session.send(assembler, BEGIN, new byte[] {2});
        session.send(assembler, END, new byte[] {3});
        assertEquals(1, messages.size());
        assertArrayEquals(new byte[] {2, 3}, messages.get(0));
    }

    @Test
    void dropsAMessageWithAGap() {
        FragmentAssembler assembler = new FragmentAssembler(collect);
        Session session = new Session(1);
        session.send(assembler, BEGIN, new byte[] {1});
        session.position += 32;
        session.send(assembler, END, new byte[] {2});
        assertEquals(0, messages.size());
    }

    @Test
    void dropsMessagesBeyondTheLongest() {
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
    void freesTheBuffersOfSessions() {
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
    void deliversExactlyTheWholeMessagesOfAnySequence(@ForAll @LongRange(min = 0) long seed) {
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
                // A whole message is passed by: what its session has begun is dropped by its gap.
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
