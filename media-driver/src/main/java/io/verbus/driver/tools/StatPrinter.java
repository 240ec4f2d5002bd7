// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.driver.metrics.Metric;
import io.verbus.driver.tools.StatSample.Counted;
import io.verbus.driver.tools.StatSample.Streamed;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the lines and JSON of {@code verbus stat}, sorted and filtered. */
final class StatPrinter {
    private static final int MAX_CHANNEL = 44;

    private final StatOrder order;
    private final String filter;

    /**
     * @param order order of the lines.
     * @param filter text that printed lines contain, ignoring case; empty for all.
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

    private List<Streamed> streams(StatSample sample) {
        return sample.streams().stream()
                .filter(
                        each ->
                                isWanted(
                                        each.status().channel(),
                                        each.status().carrier()
                                                + " "
                                                + each.status().streamId()
                                                + " "
                                                + each.status().slowest()))
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

    /** Returns the nonzero counters with their rates per second. */
    List<String> rateLines(StatSample sample) {
        List<String> lines = new ArrayList<>();
        lines.add("%24s %16s  %s".formatted("value", "a second", "counter"));
        for (Counted each : counters(sample)) {
            if (each.value() != 0) {
                lines.add(
                        "%,24d %16s  %s".formatted(each.value(), rate(each.rate()), each.label()));
            }
        }
        return lines;
    }

    private static String rate(long rate) {
        return rate == StatSample.NO_RATE ? "" : "%,d".formatted(rate);
    }

    /** Returns a line for each stream. */
    List<String> streamLines(StatSample sample) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "%-5s %11s %11s %-9s %-44s %20s %16s %14s  %s"
                        .formatted(
                                "what",
                                "stream",
                                "session",
                                "transport",
                                "channel",
                                "position",
                                "bytes a second",
                                "behind",
                                "held back by"));
        for (Streamed each : streams(sample)) {
            StreamStatus status = each.status();
            lines.add(
                    "%-5s %11d %11d %-9s %-44s %,20d %16s %14s  %s"
                            .formatted(
                                    status.isImage() ? "image" : "pub",
                                    status.streamId(),
                                    status.sessionId(),
                                    status.carrier(),
                                    cut(status.channel()),
                                    status.position(),
                                    rate(each.rate()),
                                    status.behind() < 0 ? "" : "%,d".formatted(status.behind()),
                                    holder(status)));
        }
        return lines;
    }

    private static String holder(StreamStatus status) {
        if (status.behind() < 0) {
            return "nobody reads it";
        }
        return status.isBlocked() ? status.slowest() + " (blocked)" : status.slowest();
    }

    private static String cut(String channel) {
        return channel.length() <= MAX_CHANNEL
                ? channel
                : channel.substring(0, MAX_CHANNEL - 3) + "...";
    }

    void printJson(StatSample sample, boolean isOfStreams, PrintWriter out) {
        out.println(isOfStreams ? streamJson(sample) : counterJson(sample));
    }

    private Json counterJson(StatSample sample) {
        Json json = new Json();
        for (Counted each : counters(sample)) {
            json.begin()
                    .put("id", each.id())
                    .put("type", each.typeId())
                    .put("value", each.value())
                    .put("label", each.label())
                    .put("metric", each.metric().name())
                    .put("unit", unit(each.metric().unit()));
            each.labels()
                    .forEach(
                            (name, value) -> {
                                if (!name.equals("type")) { // exists already
                                    json.put(name, value);
                                }
                            });
            json.end();
        }
        return json;
    }

    /** Returns the unit of the counter's raw value. */
    private static String unit(Metric.Unit unit) {
        return unit.name().toLowerCase(Locale.ROOT);
    }

    private Json streamJson(StatSample sample) {
        Json json = new Json();
        for (Streamed each : streams(sample)) {
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
                    .put("heldBackBy", status.slowest())
                    .put("blocked", status.isBlocked() ? 1 : 0)
                    .end();
        }
        return json;
    }
}
