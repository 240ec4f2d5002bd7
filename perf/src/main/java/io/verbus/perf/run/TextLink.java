// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import java.util.Iterator;

/** Says a text, a character before each line, so that none is taken for something else. */
final class TextLink implements Link {
    static final String WELL = "ended well";

    private final Iterator<String> lines;

    TextLink(String text) {
        lines = text.lines().iterator();
    }

    @Override
    public void tell(String line) {
        // nothing to do: it takes no orders
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
    public long clockAheadNs() {
        return 0;
    }

    @Override
    public void end() {
        // nothing is left of it
    }
}
