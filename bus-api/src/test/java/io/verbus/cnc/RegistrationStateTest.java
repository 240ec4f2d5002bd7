// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.RegistrationState.Label;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;

class RegistrationStateTest {
    private static final String CHANNEL = "aeron:udp?endpoint=10.0.0.2:7400|alias=two words";
    private static final String BEGIN = "pub-state: 7 -123 10 " + CHANNEL;

    @Test
    void parsesOwnLabels() {
        String label = RegistrationState.label(BEGIN, "udp", "no receiver: start one");
        assertEquals(BEGIN + " | udp | no receiver: start one", label);
        assertEquals(
                new Label(CHANNEL, "udp", "no receiver: start one"),
                RegistrationState.parse(label));
        assertEquals(
                new Label(CHANNEL, "udp", ""),
                RegistrationState.parse(RegistrationState.label(BEGIN, "udp", "")));
    }

    @Test
    void toleratesForeignLabels() {
        assertEquals(new Label("", "", ""), RegistrationState.parse(""));
        assertEquals(new Label("", "", ""), RegistrationState.parse("a b c d"));
        assertEquals(new Label("e", "", ""), RegistrationState.parse("a b c d e"));
        assertEquals(new Label("", "x", "y | z"), RegistrationState.parse("a | x | y | z"));
        assertEquals(RegistrationState.WAITING, RegistrationState.of(-1));
        assertEquals(RegistrationState.WAITING, RegistrationState.of(3));
        assertEquals(RegistrationState.LEFT, RegistrationState.of(2));
    }

    @Test
    void truncatesReasonToFitLabel() {
        String label = RegistrationState.label(BEGIN, "rdma", "why".repeat(200));
        assertEquals(CountersReader.MAX_LABEL_LENGTH, label.length());
        assertTrue(label.endsWith("whywh.."), label);
        assertEquals(CHANNEL, RegistrationState.parse(label).channel());
    }
}
