// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * View of {@code verbus stat --live}. Keys change the order, the filter, and whether counters are
 * shown. Not thread-safe.
 */
final class StatView {
    private static final int ESCAPE = 0x1B;
    private static final int BACKSPACE = 0x08;
    private static final int DELETE = 0x7F;
    private static final String KEYS = "q quits  s sorts  f filters  t streams only";

    private final String directory;
    private StatOrder order;
    private String filter;
    private boolean isOfStreams;
    private boolean isTyping;

    /**
     * @param directory directory of the driver.
     * @param order order of the lines; null for streams by id, counters by rate.
     * @param filter text that a line must contain to be shown; empty for all.
     * @param isOfStreams whether to show only streams.
     */
    StatView(String directory, StatOrder order, String filter, boolean isOfStreams) {
        this.directory = directory;
        this.order = order;
        this.filter = filter;
        this.isOfStreams = isOfStreams;
    }

    /**
     * Handles a key.
     *
     * @return false if the key ends the view.
     */
    boolean press(int key) {
        if (isTyping) {
            type(key);
            return true;
        }
        switch (key) {
            case 'q', 'Q' -> {
                return false;
            }
            case 's', 'S' -> order = next(order);
            case 'f', 'F', '/' -> isTyping = true;
            case 't', 'T' -> isOfStreams = !isOfStreams;
            case ESCAPE -> filter = "";
            default -> {
                // The key has no function.
            }
        }
        return true;
    }

    private void type(int key) {
        switch (key) {
            case '\r', '\n' -> isTyping = false;
            case ESCAPE -> {
                isTyping = false;
                filter = "";
            }
            case BACKSPACE, DELETE ->
                    filter = filter.substring(0, Math.max(0, filter.length() - 1));
            default -> {
                if (key >= ' ' && key < DELETE) {
                    filter += (char) key;
                }
            }
        }
    }

    /** Selects the next order; the initial order follows the last one. */
    private static StatOrder next(StatOrder order) {
        StatOrder[] all = StatOrder.values();
        int next = order == null ? 0 : order.ordinal() + 1;
        return next < all.length ? all[next] : null;
    }

    /**
     * Returns the lines that show a sample: all lines, or as many lines as fit on the screen.
     *
     * @param time human-readable time of the sample.
     * @param sample sample of the driver.
     * @param columns maximum length of a line, in characters.
     * @param lines maximum number of lines; on a screen the last line lists the keys.
     * @param hasKeys whether the output is a screen whose user can press keys.
     */
    List<String> lines(String time, StatSample sample, int columns, int lines, boolean hasKeys) {
        StatPrinter streams = new StatPrinter(order == null ? StatOrder.ID : order, filter);
        List<TextTable> tables = new ArrayList<>();
        tables.add(streams.streams(sample, true));
        if (!isOfStreams) {
            StatPrinter counters = new StatPrinter(order == null ? StatOrder.RATE : order, filter);
            tables.add(counters.rates(sample));
            tables.add(counters.gauges(sample));
        }
        List<String> screen = new ArrayList<>();
        screen.add(TextTable.cut(head(time, sample), columns));
        int room = lines - screen.size() - (hasKeys ? 1 : 0);
        int[] rows = share(tables, room);
        for (int i = 0; i < tables.size(); i++) {
            List<String> all = tables.get(i).lines(columns);
            if (rows[i] > 0) {
                screen.add("");
                screen.addAll(all.subList(0, Math.min(all.size(), rows[i] - 1)));
            }
        }
        if (hasKeys) {
            while (screen.size() < lines - 1) {
                screen.add("");
            }
            screen.add(TextTable.cut(isTyping ? "filter: " + filter + "_" : KEYS, columns));
        }
        return screen;
    }

    private String head(String time, StatSample sample) {
        return time
                + "  "
                + directory
                + "  "
                + sample.streams().size()
                + (sample.streams().size() == 1 ? " stream, " : " streams, ")
                + sample.counters().size()
                + " counters"
                + (order == null ? "" : ", by " + order.name().toLowerCase(Locale.ROOT))
                + (filter.isEmpty() ? "" : ", with '" + filter + "'");
    }

    /**
     * Divides the lines among the tables, each of which follows a blank line. A table leaves lines
     * that it does not need to the other tables.
     */
    private static int[] share(List<TextTable> tables, int room) {
        int[] shares = new int[tables.size()];
        int left = room;
        boolean isMoving = true;
        while (left > 0 && isMoving) {
            isMoving = false;
            for (int i = 0; i < shares.length && left > 0; i++) {
                if (shares[i] < tables.get(i).size() + 2) {
                    shares[i]++;
                    left--;
                    isMoving = true;
                }
            }
        }
        return shares;
    }
}
