// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Checks that the table of keys in {@code docs/reference/channels.md} matches {@code ChannelKey}.
 * With {@code -Dhelp.write=true} this test writes it.
 */
class ChannelsPageTest {
    private static final Path PAGE = Path.of("../docs/reference/channels.md");
    private static final String BEGIN = "<!-- keys -->\n";
    private static final String END = "<!-- end of keys -->\n";

    private static String table() {
        StringBuilder table = new StringBuilder();
        for (ChannelKey key : ChannelKey.values()) {
            table.append("**`").append(key.text()).append("`** ").append(key.meaning());
            table.append("\n\n- on: ").append(sides(key));
            table.append("\n- values: ").append(key.right());
            table.append("\n- default: ").append(key.preset()).append("\n\n");
        }
        return table.toString();
    }

    private static String sides(ChannelKey key) {
        StringBuilder sides = new StringBuilder();
        for (ChannelMedia media : ChannelMedia.values()) {
            String who =
                    switch (key.side(media)) {
                        case NONE -> "";
                        case PUBLICATION -> "publication";
                        case SUBSCRIPTION -> "subscription";
                        case BOTH -> "publication, subscription";
                    };
            if (!who.isEmpty()) {
                sides.append(sides.isEmpty() ? "" : ", ").append('`').append(media.text());
                sides.append("` (").append(who).append(')');
            }
        }
        return sides.toString();
    }

    @Test
    void pageListsAllKeys() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        if (Boolean.getBoolean("help.write")) {
            page = page.substring(0, begin) + "\n" + table() + page.substring(end);
            Files.writeString(PAGE, page);
            end = page.indexOf(END);
        }
        assertEquals(
                "\n" + table(),
                page.substring(begin, end),
                "regenerate docs/reference/channels.md with: ./verbus test -Dhelp.write=true"
                        + " -Dtest='*PageTest' -Dsurefire.failIfNoSpecifiedTests=false");
    }

    @ParameterizedTest
    @EnumSource(ChannelKey.class)
    void describesEachKeyInOneSentence(ChannelKey key) {
        assertTrue(key.meaning().matches("[A-Z].*[.]"), key.meaning());
        assertEquals(key.text(), key.text().toLowerCase(Locale.ROOT));
    }
}
