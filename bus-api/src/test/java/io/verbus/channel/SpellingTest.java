// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

class SpellingTest {
    private static final List<String> KNOWN =
            List.of("endpoint", "interface", "term-length", "mtu", "linger", "--dir", "--json");

    @ParameterizedTest
    @CsvSource({
        "endpiont, endpoint",
        "endpint, endpoint",
        "interfaces, interface",
        "term-lenght, term-length",
        "term_length, term-length",
        "mut, mtu",
        "--dri, --dir",
        "--jsno, --json"
    })
    void suggestsMostSimilarWord(String word, String expected) {
        assertEquals(expected, Spelling.nearest(word, KNOWN));
        assertEquals(" (did you mean '" + expected + "'?)", Spelling.hint(word, KNOWN));
    }

    @Test
    void suggestsNothingForOtherWords() {
        assertNull(Spelling.nearest("window", KNOWN));
        assertEquals("", Spelling.hint("x", List.of("mtu")));
        assertEquals("", Spelling.hint("", KNOWN));
    }

    @Test
    void channelErrorSuggestsKey() {
        String message =
                assertThrows(
                                BusException.class,
                                () -> ChannelUri.parse("verbus:udp?endpiont=localhost:20000"))
                        .getMessage();
        assertTrue(
                message.contains(
                        "has the key 'endpiont', which udp does not support (did you mean"
                                + " 'endpoint'?): use one of "),
                message);
    }
}
