// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import java.util.ArrayList;
import java.util.List;

/**
 * A table that fits a given width. If it is too wide, texts are cut to their columns' minimum
 * widths, the longest first, and then columns are omitted.
 */
final class TextTable {
    private static final String CUT = "..";

    /**
     * A column.
     *
     * @param name column heading.
     * @param isNumber whether cells are right-aligned and never cut.
     * @param least minimum length to which a text is cut, in characters.
     * @param rank order of omission: the column with the highest rank is omitted first; a column
     *     with rank 0 is never omitted.
     */
    record Column(String name, boolean isNumber, int least, int rank) {
        static Column number(String name, int rank) {
            return new Column(name, true, name.length(), rank);
        }

        static Column text(String name, int least, int rank) {
            return new Column(name, false, least, rank);
        }
    }

    private final List<Column> columns;
    private final List<String[]> rows = new ArrayList<>();

    TextTable(Column... columns) {
        this.columns = List.of(columns);
    }

    /** Adds a row with a cell for each column. */
    void add(String... cells) {
        rows.add(cells);
    }

    /** Returns the number of rows, excluding the headings. */
    int size() {
        return rows.size();
    }

    /**
     * Formats the table.
     *
     * @param width maximum length of a line, in characters.
     * @return the headings, then a line for each row.
     */
    List<String> lines(int width) {
        List<Integer> kept = new ArrayList<>();
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            kept.add(i);
        }
        fit(widths, kept, width);
        while (length(widths, kept) > width && leaveOut(kept)) {
            fit(widths, kept, width);
        }
        List<String> lines = new ArrayList<>();
        lines.add(
                line(
                        columns.stream().map(Column::name).toArray(String[]::new),
                        widths,
                        kept,
                        width));
        rows.forEach(cells -> lines.add(line(cells, widths, kept, width)));
        return lines;
    }

    private void fit(int[] widths, List<Integer> kept, int width) {
        for (int i : kept) {
            widths[i] = columns.get(i).name().length();
            for (String[] cells : rows) {
                widths[i] = Math.max(widths[i], cells[i].length());
            }
        }
        for (int tooMuch = length(widths, kept) - width; tooMuch > 0; tooMuch--) {
            int longest = -1;
            for (int i : kept) {
                Column column = columns.get(i);
                if (!column.isNumber()
                        && widths[i] > column.least()
                        && (longest < 0 || widths[i] > widths[longest])) {
                    longest = i;
                }
            }
            if (longest < 0) {
                return;
            }
            widths[longest]--;
        }
    }

    private static int length(int[] widths, List<Integer> kept) {
        return kept.stream().mapToInt(i -> widths[i]).sum() + kept.size() - 1;
    }

    /** Omits a column; returns false if none can be omitted. */
    private boolean leaveOut(List<Integer> kept) {
        int first = -1;
        for (int i : kept) {
            if (columns.get(i).rank() > 0
                    && (first < 0 || columns.get(i).rank() > columns.get(first).rank())) {
                first = i;
            }
        }
        return first >= 0 && kept.remove(Integer.valueOf(first));
    }

    private String line(String[] cells, int[] widths, List<Integer> kept, int width) {
        StringBuilder line = new StringBuilder();
        for (int i : kept) {
            if (!line.isEmpty()) {
                line.append(' ');
            }
            String cell = cut(cells[i], widths[i]);
            String space = " ".repeat(widths[i] - cell.length());
            line.append(columns.get(i).isNumber() ? space + cell : cell + space);
        }
        return cut(line.toString().stripTrailing(), width);
    }

    /** Returns a text; if it is too long, it is cut and ends with two dots. */
    static String cut(String text, int width) {
        return text.length() <= width
                ? text
                : text.substring(0, Math.max(0, width - CUT.length()))
                        + CUT.substring(0, Math.min(CUT.length(), width));
    }
}
