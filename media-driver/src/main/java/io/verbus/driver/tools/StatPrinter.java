// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.driver.metrics.Metric;
import io.verbus.driver.tools.StatSample.Counted;
import io.verbus.driver.tools.StatSample.Streamed;
import io.verbus.driver.tools.TextTable.Column;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the lines and JSON of {@code verbus stat}, sorted and filtered. */
final class StatPrinter {
    /** Index of the column with the rates of streams. */
    private static final int RATES = 6;

    private final StatOrder order;
    private final String filter;

    /**
     * @param order order of the lines.
     * @param filter text that a line must contain to be printed, ignoring case; empty for all.
     */
    StatPrinter(StatOrder order, String filter) {
        this.order = order;
        this.filter = filter.toLowerCase(Locale.ROOT);
    }

    private List<Counted> counters(StatSample sample) {
        return sample.counters().stream()
                .filter(each -> isWanted(each.metric().name(), each.label()))
                .sorted(order.counters())
                .toList();
    }

    private List<Streamed> wanted(StatSample sample) {
        return sample.streams().stream()
                .filter(
                        each ->
                                isWanted(
                                        each.status().channel(),
                                        each.status().carrier()
                                                + " "
                                                + each.status().streamId()
                                                + " "
                                                + each.status().heldBackBy()))
                .sorted(order.streams())
                .toList();
    }

    private boolean isWanted(String one, String other) {
        return (one + " " + other).toLowerCase(Locale.ROOT).contains(filter);
    }

    /** Returns all counters with their labels. */
    List<String> counterLines(StatSample sample) {
        return counters(sample).stream()
                .map(each -> "%5d %,24d  %s".formatted(each.id(), each.value(), each.label()))
                .toList();
    }

    /** Returns the nonzero counters that only grow, with their rates per second. */
    TextTable rates(StatSample sample) {
        TextTable table =
                new TextTable(
                        Column.number("per second", 0),
                        Column.number("total", 1),
                        Column.text("counter", 20, 0));
        for (Counted each : counters(sample)) {
            if (each.metric().isGrowing() && each.value() != 0) {
                table.add(rate(each.rate()), number(each.value()), each.label());
            }
        }
        return table;
    }

    /** Returns the nonzero gauges. */
    TextTable gauges(StatSample sample) {
        TextTable table = new TextTable(Column.number("value", 0), Column.text("gauge", 20, 0));
        for (Counted each : counters(sample)) {
            if (!each.metric().isGrowing() && each.value() != 0) {
                table.add(number(each.value()), each.label());
            }
        }
        return table;
    }

    private static String number(long value) {
        return "%,d".formatted(value);
    }

    private static String rate(long rate) {
        return rate == StatSample.NO_RATE ? "" : number(rate);
    }

    /**
     * Returns a row for each stream.
     *
     * @param hasRates whether to show rates, which need more than one sample.
     */
    TextTable streams(StatSample sample, boolean hasRates) {
        List<Column> columns =
                new ArrayList<>(
                        List.of(
                                Column.text("what", 5, 0),
                                Column.number("stream", 0),
                                Column.number("session", 3),
                                Column.text("transport", 9, 1),
                                Column.text("channel", 12, 0),
                                Column.number("position", 2),
                                Column.number("bytes a second", 0),
                                Column.number("behind", 0),
                                Column.text("held back by", 12, 0)));
        if (!hasRates) {
            columns.remove(RATES);
        }
        TextTable table = new TextTable(columns.toArray(Column[]::new));
        for (Streamed each : wanted(sample)) {
            StreamStatus status = each.status();
            List<String> cells =
                    new ArrayList<>(
                            List.of(
                                    status.isImage() ? "image" : "pub",
                                    Integer.toString(status.streamId()),
                                    Integer.toString(status.sessionId()),
                                    status.carrier(),
                                    status.channel(),
                                    number(status.position()),
                                    rate(each.rate()),
                                    status.behind() < 0 ? "" : number(status.behind()),
                                    holder(status)));
            if (!hasRates) {
                cells.remove(RATES);
            }
            table.add(cells.toArray(String[]::new));
        }
        return table;
    }

    private static String holder(StreamStatus status) {
        if (status.behind() < 0) {
            return "no subscribers";
        }
        if (!status.isConnected()) {
            return "not connected";
        }
        return status.isBlocked() ? status.heldBackBy() + " (blocked)" : status.heldBackBy();
    }

    /** Prints a list with an object for each row. */
    void printJson(StatSample sample, boolean isOfStreams, PrintWriter out) {
        JsonRows json = new JsonRows();
        if (isOfStreams) {
            putStreams(json, sample);
        } else {
            putCounters(json, sample);
        }
        out.println(json);
    }

    /** Prints an object in one line, with lists of streams and counters. */
    void printJsonLine(String time, StatSample sample, boolean isOfStreams, PrintWriter out) {
        JsonRows streams = new JsonRows();
        putStreams(streams, sample);
        JsonRows counters = new JsonRows();
        putCounters(counters, sample);
        out.println(
                "{\"time\": \""
                        + time
                        + "\", \"streams\": "
                        + streams.line()
                        + (isOfStreams ? "" : ", \"counters\": " + counters.line())
                        + "}");
    }

    private void putCounters(JsonRows json, StatSample sample) {
        for (Counted each : counters(sample)) {
            json.begin()
                    .put("id", each.id())
                    .put("type", each.typeId())
                    .put("value", each.value())
                    .put("label", each.label())
                    .put("metric", each.metric().name())
                    .put("unit", unit(each.metric().unit()));
            if (each.rate() != StatSample.NO_RATE) {
                json.put("perSecond", each.rate());
            }
            each.labels()
                    .forEach(
                            (name, value) -> {
                                if (!name.equals("type")) { // the column already exists
                                    json.put(name, value);
                                }
                            });
            json.end();
        }
    }

    /** Returns the unit of a counter's raw value. */
    private static String unit(Metric.Unit unit) {
        return unit.name().toLowerCase(Locale.ROOT);
    }

    private void putStreams(JsonRows json, StatSample sample) {
        for (Streamed each : wanted(sample)) {
            StreamStatus status = each.status();
            json.begin()
                    .put("what", status.isImage() ? "image" : "publication")
                    .put("stream", status.streamId())
                    .put("session", status.sessionId())
                    .put("registration", status.registrationId())
                    .put("transport", status.carrier())
                    .put("channel", status.channel())
                    .put("position", status.position())
                    .put("behind", status.behind())
                    .put("heldBackBy", status.heldBackBy())
                    .put("connected", status.isConnected() ? 1 : 0)
                    .put("blocked", status.isBlocked() ? 1 : 0);
            if (each.rate() != StatSample.NO_RATE) {
                json.put("bytesPerSecond", each.rate());
            }
            json.end();
        }
    }
}
