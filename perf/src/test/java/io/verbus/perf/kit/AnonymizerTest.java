// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnonymizerTest {
    private final Anonymizer anonymizer = new Anonymizer();

    @Test
    void eachAddressHasOneNameThroughout() {
        assertEquals(
                "from ipv4-1:20123 to ipv4-2, hardware-3, ipv4-1",
                anonymizer.apply("from 10.1.2.3:20123 to 10.1.2.4, 02:00:5e:10:00:01, 10.1.2.3"));
        assertEquals("back to ipv4-2", anonymizer.apply("back to 10.1.2.4"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fe80::5054:ff:fe12:3456",
                "2001:db8::1",
                "fd00:1:2:3:4:5:6:7",
                "::ffff:1:2",
                "fe80:0000:0000:0000:5054:00ff:fe12:3456",
                "00:11:22:33:44:55",
                "80:00:00:48:fe:80:00:00:00:00:00:00:00:02:c9:03:00:1f:2d:71",
                "0c42:a103:0012:3456",
                "192.168.0.255",
                "1.2.3.4"
            })
    void noAddressIsLeft(String address) {
        String text = anonymizer.apply("a " + address + " b");
        assertEquals("a X b", text.replaceAll("(ipv4|ipv6|guid|hardware)-1", "X"));
        assertEquals("(X)", anonymizer.apply("(" + address + ")").replaceAll("\\w+-1", "X"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "0.0.0.0",
                "20.35.1012",
                "6.1.0-34-amd64",
                "5.8-1.1.2.1",
                "25.0.1+8-LTS",
                "12:34:56",
                "File::delete",
                "lists: as :: in code",
                "1.2.3.4.5"
            })
    void whatIsNoAddressOfAHostStays(String text) {
        assertEquals(text, anonymizer.apply(text));
    }

    @Test
    void wordsAreHiddenWhereTheyStandAlone() {
        anonymizer.hide("trade7.example.com", "HOST");
        anonymizer.hide("trade7", "HOST");
        anonymizer.hide("/home/ann", "HOME");
        anonymizer.hide("ann", "USER");
        anonymizer.hide("", "NOTHING");
        assertEquals(
                "HOST and HOST, HOME/x of USER, in an annex",
                anonymizer.apply("trade7.example.com and Trade7, /home/ann/x of ann, in an annex"));
    }
}
