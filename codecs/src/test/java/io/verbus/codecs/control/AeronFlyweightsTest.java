// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.RemovePublicationFlyweight;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** Checks that messages are identical to Aeron's: each side decodes what the other encodes. */
class AeronFlyweightsTest {
    private static final int OFFSET = 8;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);

    @Test
    void coversEachAeronMessageType() throws IllegalAccessException {
        Set<Integer> types = new HashSet<>();
        for (Field constant : ControlProtocolEvents.class.getFields()) {
            if (Modifier.isStatic(constant.getModifiers())
                    && !constant.getName().startsWith("CONTROL_PROTOCOL_")) {
                types.add(constant.getInt(null));
            }
        }
        assertEquals(31, types.size());
        assertEquals(31, Message.all().size());
        assertEquals(
                types, Message.all().stream().map(Message::typeId).collect(Collectors.toSet()));
        for (Message message : Message.all()) {
            assertEquals(message.typeId(), message.templateId(), message.name());
        }
    }

    @Test
    void usesAeronErrorCodes() {
        for (ErrorCode code : ErrorCode.values()) {
            if (code != ErrorCode.NULL_VAL) {
                assertEquals(code.name(), io.aeron.ErrorCode.get(code.value()).name());
            }
        }
        // Aeron's last error code stands for codes unknown to the reader.
        assertEquals(io.aeron.ErrorCode.values().length - 1, ErrorCode.values().length - 1);
    }

    @Property(tries = 200)
    void aeronDecodesVerbusMessages(@ForAll long seed) {
        Fields fields = Fields.random(seed);
        for (Message message : Message.all()) {
            fill(0xFF);
            message.verbusWrites().write(buffer, OFFSET, fields);
            assertEquals(
                    message.values().apply(fields),
                    message.aeronReads().read(buffer, OFFSET),
                    message.name());
        }
    }

    @Property(tries = 200)
    void verbusDecodesAeronMessages(@ForAll long seed) {
        Fields fields = Fields.random(seed);
        for (Message message : Message.all()) {
            fill(0xFF);
            int length = message.aeronWrites().write(buffer, OFFSET, fields);
            assertEquals(
                    valuesAndLength(message, fields, length),
                    message.verbusReads().read(buffer, OFFSET),
                    message.name());
        }
    }

    @Property(tries = 200)
    void encodesSameBytesAsAeron(@ForAll long seed) {
        Fields fields = Fields.random(seed);
        for (Message message : Message.all()) {
            fill(0);
            int length = message.aeronWrites().write(buffer, OFFSET, fields);
            byte[] expected = buffer.byteArray().clone();
            fill(0);
            assertEquals(
                    length, message.verbusWrites().write(buffer, OFFSET, fields), message.name());
            assertTrue(Arrays.equals(expected, buffer.byteArray()), message.name());
        }
    }

    @Property(tries = 200)
    void writesZeroPadding(@ForAll long seed) {
        Fields fields = Fields.random(seed);
        for (Message message : Message.all()) {
            fill(0);
            int length = message.verbusWrites().write(buffer, OFFSET, fields);
            String expected = Fields.hex(buffer, OFFSET, length);
            fill(0xFF);
            message.verbusWrites().write(buffer, OFFSET, fields);
            assertEquals(expected, Fields.hex(buffer, OFFSET, length), message.name());
        }
    }

    @Test
    void decodesRemovePublicationWithoutFlags() {
        fill(0xFF);
        int length = RemovePublicationDecoder.flagsEncodingOffset();
        assertEquals(24, length);
        RemovePublicationDecoder decoder =
                new RemovePublicationDecoder().wrap(buffer, OFFSET, length, 0);
        assertNull(decoder.flags());
        assertEquals(length, decoder.encodedLength());
        RemovePublicationFlyweight theirs = new RemovePublicationFlyweight();
        theirs.wrap(buffer, OFFSET);
        assertFalse(theirs.revoke(length));
    }

    @Test
    void acceptsCounterWithoutKey() {
        int length =
                new AddCounterEncoder()
                        .wrap(buffer, OFFSET)
                        .clientId(1)
                        .correlationId(2)
                        .typeId(3)
                        .putKey(null, 0, 0)
                        .label("label")
                        .encodedLength();
        AddCounterDecoder decoder = new AddCounterDecoder().wrap(buffer, OFFSET);
        assertEquals(0, decoder.keyLength());
        assertEquals("label", decoder.label());
        assertEquals(length, decoder.encodedLength());
    }

    @Property(tries = 200)
    void readsKeyAndLabelOfCounterInPlace(@ForAll long seed) {
        Fields fields = Fields.random(seed);
        byte[] label = fields.text.getBytes(StandardCharsets.US_ASCII);
        new AddCounterEncoder()
                .wrap(buffer, OFFSET)
                .putKey(fields.keyBuffer(), 0, fields.key.length)
                .putLabel(new UnsafeBuffer(label), 0, label.length);
        AddCounterDecoder counter = new AddCounterDecoder().wrap(buffer, OFFSET);
        checkViews(fields, counter::wrapKey, counter::wrapLabel, counter::getLabel);
        new AddStaticCounterEncoder()
                .wrap(buffer, OFFSET)
                .putKey(fields.keyBuffer(), 0, fields.key.length)
                .putLabel(new UnsafeBuffer(label), 0, label.length);
        AddStaticCounterDecoder staticCounter = new AddStaticCounterDecoder().wrap(buffer, OFFSET);
        checkViews(
                fields, staticCounter::wrapKey, staticCounter::wrapLabel, staticCounter::getLabel);
    }

    private static void checkViews(
            Fields fields,
            Consumer<DirectBuffer> wrapKey,
            Consumer<DirectBuffer> wrapLabel,
            ToIntFunction<Appendable> getLabel) {
        UnsafeBuffer view = new UnsafeBuffer();
        wrapKey.accept(view);
        assertEquals(Fields.hex(fields.key), Fields.hex(view, 0, view.capacity()));
        wrapLabel.accept(view);
        assertEquals(fields.text, view.getStringWithoutLengthAscii(0, view.capacity()));
        StringBuilder label = new StringBuilder();
        assertEquals(fields.text.length(), getLabel.applyAsInt(label));
        assertEquals(fields.text, label.toString());
    }

    private void fill(int value) {
        buffer.setMemory(0, buffer.capacity(), (byte) value);
    }

    private static List<?> valuesAndLength(Message message, Fields fields, int length) {
        List<Object> all = new ArrayList<>(message.values().apply(fields));
        all.add(length);
        return all;
    }
}
