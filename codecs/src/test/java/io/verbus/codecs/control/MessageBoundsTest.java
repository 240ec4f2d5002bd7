// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.CounterMessageFlyweight;
import io.aeron.command.StaticCounterMessageFlyweight;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.Random;

class MessageBoundsTest {
    private static final int OFFSET = 8;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);

    @Property(tries = 20)
    void rejectsTruncatedMessages(@ForAll long seed) {
        Fields fields = Fields.random(seed);
        for (Message message : Message.all()) {
            int length = message.aeronWrites().write(buffer, OFFSET, fields);
            // The flags of the command that removes a publication may be absent.
            int shortest =
                    message.typeId() == ControlProtocolEvents.REMOVE_PUBLICATION ? 24 : length;
            for (int cut = 0; cut <= length; cut++) {
                assertEquals(
                        cut >= shortest,
                        isWhole(message, cut),
                        message.name() + " of " + length + " bytes, cut at " + cut);
            }
        }
    }

    @Test
    void rejectsNegativeAndExcessiveLengths() {
        int[] lengths = {
            -1,
            -3,
            -4,
            -5,
            -1000,
            Integer.MIN_VALUE,
            Integer.MIN_VALUE + 4,
            1,
            4,
            5,
            1000,
            Integer.MAX_VALUE,
            Integer.MAX_VALUE - 3,
            Integer.MAX_VALUE - 40
        };
        for (Message message : Message.all()) {
            for (int field = 1; field <= message.varDataCount(); field++) {
                int whole = message.verbusWrites().write(buffer, OFFSET, Fields.withoutText(1));
                int index = OFFSET + whole - field * 4;
                assertEquals(0, buffer.getInt(index));
                assertTrue(isWhole(message, whole), message.name());
                for (int length : lengths) {
                    buffer.putInt(index, length);
                    assertFalse(isWhole(message, whole), message.name() + " with " + length);
                }
            }
        }
    }

    @Property(tries = 2000)
    void decodersStayWithinWholeMessages(@ForAll long seed) {
        Random random = new Random(seed);
        for (Message message : Message.all()) {
            int length = message.verbusWrites().write(buffer, OFFSET, Fields.random(seed));
            int changed = random.nextInt(0, length - 3);
            buffer.putInt(OFFSET + (changed & -4), random.nextInt() >> random.nextInt(32));
            UnsafeBuffer record = cut(random.nextInt(length + 8));
            int recordLength = record.capacity() - OFFSET;
            if (MessageBounds.isWhole(message.typeId(), record, OFFSET, recordLength)
                    && (message.typeId() != ControlProtocolEvents.REMOVE_PUBLICATION
                            || recordLength >= RemovePublicationDecoder.BLOCK_LENGTH)) {
                message.verbusReads().read(record, OFFSET);
            }
        }
    }

    @Test
    void acceptsRecordLongerThanItsMessage() {
        Fields fields = Fields.random(1);
        for (Message message : Message.all()) {
            int length = message.aeronWrites().write(buffer, OFFSET, fields);
            assertTrue(isWhole(message, length + 4), message.name());
        }
        assertTrue(
                CounterMessageFlyweight.computeLength(1, 1) > 24 + 4 + 4 + 1,
                "the client claims more than it needs");
        assertTrue(StaticCounterMessageFlyweight.computeLength(1, 1) > 32 + 4 + 4 + 1);
    }

    @Test
    void rejectsUnknownTypes() {
        for (int typeId : new int[] {-1, 0, 0x13, 0xF00, 0xF0E, Integer.MAX_VALUE}) {
            assertFalse(MessageBounds.isKnown(typeId));
            assertFalse(MessageBounds.isWhole(typeId, buffer, 0, buffer.capacity()));
        }
        for (Message message : Message.all()) {
            assertTrue(MessageBounds.isKnown(message.typeId()), message.name());
            assertFalse(MessageBounds.isWhole(message.typeId(), buffer, OFFSET, -1));
        }
    }

    private boolean isWhole(Message message, int length) {
        return MessageBounds.isWhole(message.typeId(), cut(length), OFFSET, length);
    }

    /** Returns a buffer that ends with the record, so that reading past it fails. */
    private UnsafeBuffer cut(int length) {
        UnsafeBuffer record = new UnsafeBuffer(new byte[OFFSET + length]);
        record.putBytes(0, buffer, 0, record.capacity());
        return record;
    }
}
