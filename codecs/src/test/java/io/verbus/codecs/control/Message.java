// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.MutableDirectBuffer;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A command or event that both Verbus and Aeron encode and decode.
 *
 * @param typeId type id that Aeron assigns to the message.
 * @param values values that a decoder must return, in the order in which both read them: numbers,
 *     and texts for fields of variable length.
 */
record Message(
        String name,
        int typeId,
        int templateId,
        Function<Fields, List<?>> values,
        Write verbusWrites,
        Read verbusReads,
        Write aeronWrites,
        Read aeronReads) {
    /** Encodes a message; returns its length. */
    interface Write {
        int write(MutableDirectBuffer buffer, int offset, Fields fields);
    }

    /** Decodes a whole message; for Verbus, the message length follows the values. */
    interface Read {
        List<?> read(MutableDirectBuffer buffer, int offset);
    }

    static List<Message> all() {
        return Stream.of(
                        PublicationCommands.ALL,
                        SubscriptionCommands.ALL,
                        DestinationCommands.ALL,
                        ClientCommands.ALL,
                        CounterMessages.ALL,
                        CommandEvents.ALL,
                        PublicationEvents.ALL,
                        SubscriptionEvents.ALL)
                .flatMap(List::stream)
                .toList();
    }

    /** {@return the number of fields of variable length} */
    int varDataCount() {
        return (int)
                values.apply(Fields.withoutText(0)).stream()
                        .filter(String.class::isInstance)
                        .count();
    }

    @Override
    public String toString() {
        return name;
    }
}
