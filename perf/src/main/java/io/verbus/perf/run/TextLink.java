// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.process.Link;

import java.util.Iterator;

/**
 * Returns the lines of a text, each prefixed with a character so that none is mistaken for a
 * keyword.
 */
final class TextLink implements Link {
    static final String WELL = "ended well";

    private final Iterator<String> lines;

    TextLink(String text) {
        lines = text.lines().iterator();
    }

    @Override
    public String readLine() {
        return lines.hasNext() ? "|" + lines.next() : null;
    }

    @Override
    public String ending() {
        return WELL;
    }

    @Override
    public void end() {
        // there is no process to end
    }
}
