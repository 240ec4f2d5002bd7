// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyFile.Durations;
import io.verbus.driver.latency.DurationText;
import io.verbus.driver.latency.LatencySample;
import io.verbus.driver.tools.TextTable.Column;

import java.util.ArrayList;
import java.util.List;

/** Formats samples of {@code verbus latency} as a table or JSON. */
final class LatencyView {
    private static final double[] PERCENTILES = {50, 99, 99.9};
    private static final String[] NAMES = {"p50", "p99", "p99.9"};

    /** Age in nanoseconds at which an open sample is shown. */
    private static final long OLD_NS = 100_000_000;

    private LatencyView() {}

    /** Returns the lines of one sample, cut to a width in characters. */
    static List<String> lines(String time, String directory, LatencySample sample, int width) {
        TextTable interval = table();
        TextTable all = table();
        for (LatencySample.Hop hop : sample.hops()) {
            add(interval, hop, hop.least(), hop.most());
            add(all, hop, hop.reading().least(), hop.reading().most());
        }
        List<String> lines = new ArrayList<>();
        lines.add(TextTable.cut(time + "  " + directory, width));
        lines.add("");
        lines.add(TextTable.cut("last interval", width));
        lines.addAll(interval.lines(width));
        lines.add("");
        lines.add(TextTable.cut("since each stream started", width));
        lines.addAll(all.lines(width));
        return lines;
    }

    /** Returns the lines of all samples so far. */
    static List<String> lines(LatencySample sample) {
        TextTable all = table();
        sample.hops().forEach(hop -> add(all, hop, hop.reading().least(), hop.reading().most()));
        return all.lines(Integer.MAX_VALUE);
    }

    private static TextTable table() {
        return new TextTable(
                Column.number("stream", 0),
                Column.number("session", 5),
                Column.text("hop", 11, 0),
                Column.number("samples", 3),
                Column.number("p50", 0),
                Column.number("p99", 0),
                Column.number("p99.9", 1),
                Column.number("max", 0),
                Column.number("open", 2),
                Column.text("to", 8, 4),
                Column.text("last", 8, 6),
                Column.text("channel", 8, 7));
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
                    isAny
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

    /** Returns all samples so far, and those since the earlier sample, as JSON. */
    static Json json(LatencySample sample) {
        Json json = new Json();
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
            put(json, "interval-", hop.least(), hop.most());
            json.end();
        }
        return json;
    }

    private static void put(Json json, String prefix, Durations least, Durations most) {
        json.put(prefix + "samples", most.count());
        for (int i = 0; i < PERCENTILES.length; i++) {
            json.put(prefix + "least-" + NAMES[i] + "-ns", least.at(PERCENTILES[i]));
            json.put(prefix + "most-" + NAMES[i] + "-ns", most.at(PERCENTILES[i]));
        }
        json.put(prefix + "least-max-ns", least.max()).put(prefix + "most-max-ns", most.max());
    }
}
