// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.MutableDirectBuffer;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A command or event with the codecs of Verbus and of Aeron.
 *
 * @param typeId Aeron's type id of the message.
 * @param values values that a reader must return, in reading order: numbers, and texts for fields
 *     of variable length.
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
    /** Writes a message and returns its length. */
    interface Write {
        int write(MutableDirectBuffer buffer, int offset, Fields fields);
    }

    /** Reads all of a message. Behind the values, Verbus tells the length; Aeron does not. */
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

    /** {@return how many fields of variable length it has} */
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
