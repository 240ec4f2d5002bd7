// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyFile.Durations;
import io.verbus.driver.latency.DurationText;
import io.verbus.driver.latency.LatencySample;
import io.verbus.driver.tools.TextTable.Column;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Formats samples of {@code verbus latency} as a table or JSON. */
final class LatencyView {
    private static final double[] PERCENTILES = {50, 99, 99.9};
    private static final String[] NAMES = {"p50", "p99", "p99.9"};

    /** Number of samples below which a percentile is not shown. */
    private static final long[] NEEDED = {1, 1, 1000};

    /** Column that, with the stream and the hop, distinguishes a row from other rows. */
    private enum Name {
        SESSION,
        PEER,
        CHANNEL;

        Object of(LatencyFile.Owner owner) {
            return switch (this) {
                case SESSION -> owner.sessionId();
                case PEER -> owner.peer();
                case CHANNEL -> owner.channel();
            };
        }
    }

    /** Sets of columns that may distinguish rows, smaller sets first. */
    private static final List<Set<Name>> NAMES_OF_ROWS =
            List.of(
                    Set.of(),
                    Set.of(Name.SESSION),
                    Set.of(Name.PEER),
                    Set.of(Name.SESSION, Name.PEER),
                    Set.of(Name.CHANNEL),
                    Set.of(Name.SESSION, Name.PEER, Name.CHANNEL));

    /** Age in nanoseconds at which an open sample is shown. */
    private static final long OLD_NS = 100_000_000;

    private LatencyView() {}

    /**
     * Returns the lines of one sample, cut to a width in characters: the last interval, if there is
     * one, and all samples so far, with the same columns.
     */
    static List<String> lines(String time, String directory, LatencySample sample, int width) {
        List<LatencySample.Hop> hops = sample.hops();
        TextTable table = table(hops);
        if (sample.hasInterval()) {
            hops.forEach(hop -> add(table, hop, hop.least(), hop.most()));
        }
        hops.forEach(hop -> add(table, hop, hop.reading().least(), hop.reading().most()));
        List<String> rows = table.lines(width);
        int all = rows.size() - hops.size();
        List<String> lines = new ArrayList<>();
        lines.add(TextTable.cut(time + "  " + directory, width));
        if (sample.hasInterval()) {
            lines.add("");
            lines.add(TextTable.cut("last interval", width));
            lines.addAll(rows.subList(0, all));
        }
        lines.add("");
        lines.add(TextTable.cut("since each stream started", width));
        lines.add(rows.getFirst());
        lines.addAll(rows.subList(all, rows.size()));
        return lines;
    }

    /** Returns the lines of all samples so far. */
    static List<String> lines(LatencySample sample) {
        TextTable all = table(sample.hops());
        sample.hops().forEach(hop -> add(all, hop, hop.reading().least(), hop.reading().most()));
        return all.lines(Integer.MAX_VALUE);
    }

    /** Returns an empty table with the columns without which two hops would look alike. */
    private static TextTable table(List<LatencySample.Hop> hops) {
        Set<Name> kept =
                NAMES_OF_ROWS.stream()
                        .filter(names -> areDistinct(hops, names))
                        .findFirst()
                        .orElse(NAMES_OF_ROWS.getLast());
        return new TextTable(
                Column.number("stream", 0),
                Column.number("session", kept.contains(Name.SESSION) ? 0 : 6),
                Column.text("hop", 11, 0),
                Column.number("samples", 4),
                Column.number("p50", 0),
                Column.number("p99", 0),
                Column.number("p99.9", 2),
                Column.number("max", 1),
                Column.number("open", 3),
                Column.text("to", 8, kept.contains(Name.PEER) ? 0 : 5),
                Column.text("last", 8, 7),
                Column.text("channel", 8, kept.contains(Name.CHANNEL) ? 0 : 8));
    }

    private static boolean areDistinct(List<LatencySample.Hop> hops, Set<Name> names) {
        Set<List<Object>> rows = new HashSet<>();
        for (LatencySample.Hop hop : hops) {
            LatencyFile.Owner owner = hop.owner();
            List<Object> row = new ArrayList<>(List.of(owner.streamId(), owner.hop()));
            names.forEach(name -> row.add(name.of(owner)));
            if (!rows.add(row)) {
                return false;
            }
        }
        return true;
    }

    private static void add(
            TextTable table, LatencySample.Hop hop, Durations least, Durations most) {
        LatencyFile.Owner owner = hop.owner();
        boolean isStream = owner.registrationId() != 0;
        String[] cells = new String[12];
        cells[0] = isStream ? Integer.toString(owner.streamId()) : "";
        cells[1] = isStream ? Integer.toString(owner.sessionId()) : "";
        cells[2] = owner.hop().toString();
        cells[3] = Long.toString(most.count());
        boolean isAny = most.count() > 0;
        for (int i = 0; i < PERCENTILES.length; i++) {
            cells[4 + i] =
                    most.count() >= NEEDED[i]
                            ? DurationText.between(
                                    least.at(PERCENTILES[i]), most.at(PERCENTILES[i]))
                            : "-";
        }
        cells[7] = isAny ? DurationText.between(least.max(), most.max()) : "-";
        cells[8] = hop.openNs() < OLD_NS ? "" : DurationText.of(hop.openNs());
        cells[9] = owner.peer();
        cells[10] = hop.last();
        cells[11] = owner.channel();
        table.add(cells);
    }

    /** Returns all samples so far, and those since an earlier sample if there is one, as JSON. */
    static JsonRows json(LatencySample sample) {
        JsonRows json = new JsonRows();
        for (LatencySample.Hop hop : sample.hops()) {
            LatencyFile.Owner owner = hop.owner();
            json.begin()
                    .put("stream", owner.streamId())
                    .put("session", owner.sessionId())
                    .put("registration", owner.registrationId())
                    .put("channel", owner.channel())
                    .put("peer", owner.peer())
                    .put("hop", owner.hop().toString())
                    .put("last", hop.last())
                    .put("open-ns", hop.openNs());
            put(json, "", hop.reading().least(), hop.reading().most());
            if (sample.hasInterval()) {
                put(json, "interval-", hop.least(), hop.most());
            }
            json.end();
        }
        return json;
    }

    private static void put(JsonRows json, String prefix, Durations least, Durations most) {
        json.put(prefix + "samples", most.count());
        for (int i = 0; i < PERCENTILES.length; i++) {
            json.put(prefix + "least-" + NAMES[i] + "-ns", least.at(PERCENTILES[i]));
            json.put(prefix + "most-" + NAMES[i] + "-ns", most.at(PERCENTILES[i]));
        }
        json.put(prefix + "least-max-ns", least.max()).put(prefix + "most-max-ns", most.max());
    }
}
