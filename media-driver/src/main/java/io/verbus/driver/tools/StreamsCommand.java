// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.metrics.CounterKeys;
import io.verbus.driver.metrics.ReadCounters;
import io.verbus.driver.tools.TextTable.Column;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.CountersReader;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code verbus streams}: prints the position of each publication, image and subscriber of a
 * driver.
 */
@Command(
        name = "streams",
        description = {
            "Prints a driver's streams, with the transport and the positions of each.",
            "Also prints the last positions of a driver that has ended or stalled; the exit status"
                    + " is then 1."
        },
        mixinStandardHelpOptions = true)
final class StreamsCommand implements Callable<Integer> {
    private record Row(
            int streamId,
            int sessionId,
            long registrationId,
            String carrier,
            String what,
            long value,
            String tether,
            String endpoint,
            String label) {
        private static final Comparator<Row> ORDER =
                Comparator.comparingInt(Row::streamId)
                        .thenComparingInt(Row::sessionId)
                        .thenComparing(Row::what)
                        .thenComparingLong(Row::registrationId);
    }

    /**
     * Pattern of registration id, session id and stream id, which precede the channel in a label.
     */
    private static final Pattern CHANNEL = Pattern.compile(": \\d+ -?\\d+ -?\\d+ ");

    /** Pattern of the join position or state, which follows the channel in a subscriber's label. */
    private static final Pattern SUFFIX = Pattern.compile(" (@-?\\d+|lingering|resting|gone)$");

    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(names = "--json", description = "prints JSON")
    private boolean isJson;

    @Override
    public Integer call() {
        List<Row> rows = new ArrayList<>();
        try (CncFile cnc = directory.map()) {
            ReadCounters all = new ReadCounters(cnc);
            CountersReader counters = all.values();
            StreamCarriers carriers = new StreamCarriers(all);
            all.forEach(
                    (id, type, key, label) -> {
                        String what = what(type);
                        long value = counters.getCounterValue(id);
                        if (type == CounterTypes.DESTINATIONS) {
                            long publication = counters.getCounterRegistrationId(id);
                            addDestinations(rows, publication, what, value, label);
                        } else if (what != null) {
                            String carrier =
                                    carriers.of(type, source(counters, id, type, key), label);
                            boolean isLetGo =
                                    type == CounterTypes.SUBSCRIBER_POSITION
                                            && counters.getCounterReferenceId(id) < 0;
                            String tether = tether(type, isLetGo, label);
                            String endpoint = endpoint(type, key, label);
                            rows.add(row(key, carrier, what, value, tether, endpoint, label));
                        }
                    });
            rows.sort(Row.ORDER);
            print(rows, spec.commandLine().getOut());
            directory.checkRunning(cnc);
        }
        return 0;
    }

    /**
     * Adds the destinations. Their keys contain only a channel; stream and session come from the
     * publication, whose counter was allocated earlier.
     */
    private static void addDestinations(
            List<Row> rows, long publication, String what, long value, String label) {
        for (Row row : rows) {
            if (row.registrationId == publication) {
                rows.add(
                        new Row(
                                row.streamId,
                                row.sessionId,
                                publication,
                                row.carrier,
                                what,
                                value,
                                "",
                                row.endpoint,
                                row.label));
                return;
            }
        }
    }

    /** Returns the registration id of the publication or image that a counter belongs to. */
    private static long source(CountersReader counters, int id, int type, DirectBuffer key) {
        return type == CounterTypes.SUBSCRIBER_POSITION
                // negative for a detached subscriber
                ? Math.abs(counters.getCounterReferenceId(id))
                : key.getLong(0);
    }

    /**
     * Returns the state of an untethered subscriber: the state at the end of its label, or else
     * {@code active}; empty for other counters.
     */
    private static String tether(int type, boolean isLetGo, String label) {
        if (isLetGo) {
            return label.substring(label.lastIndexOf(' ') + 1);
        }
        boolean isUntethered =
                type == CounterTypes.SUBSCRIBER_POSITION && label.contains("tether=false");
        return isUntethered ? "active" : "";
    }

    private static Row row(
            DirectBuffer key,
            String carrier,
            String what,
            long value,
            String tether,
            String endpoint,
            String label) {
        return new Row(
                key.getInt(Long.BYTES + Integer.BYTES),
                key.getInt(Long.BYTES),
                key.getLong(0),
                carrier,
                what,
                value,
                tether,
                endpoint,
                label);
    }

    /** Returns the destination in the counter, or the endpoint in the channel. */
    private static String endpoint(int type, DirectBuffer key, String label) {
        return switch (type) {
            case CounterTypes.DESTINATION_SENT,
                    CounterTypes.DESTINATION_RELEASED,
                    CounterTypes.DESTINATION_CONNECTED,
                    CounterTypes.DESTINATION_LEFT,
                    CounterTypes.SOURCE_POSITION,
                    CounterTypes.SOURCE_DELIVERED ->
                    CounterKeys.streamText(key);
            default -> WhyNot.endpoint(channel(label));
        };
    }

    /**
     * Returns the channel in a label, which follows the registration id, session id and stream id.
     */
    private static String channel(String label) {
        Matcher begin = CHANNEL.matcher(label);
        return begin.find() ? SUFFIX.matcher(label.substring(begin.end())).replaceFirst("") : "";
    }

    private static String what(int type) {
        return switch (type) {
            case CounterTypes.PUBLISHER_POSITION -> "publisher-position";
            case CounterTypes.PUBLISHER_LIMIT -> "publisher-limit";
            case CounterTypes.SENDER_POSITION -> "sender-position";
            case CounterTypes.SENDER_LIMIT -> "sender-limit";
            case CounterTypes.SENDER_BACK_PRESSURE -> "sender-back-pressure";
            case CounterTypes.RECEIVER_HIGH_WATER -> "receiver-high-water";
            case CounterTypes.RECEIVER_POSITION -> "receiver-position";
            case CounterTypes.SUBSCRIBER_POSITION -> "subscriber-position";
            case CounterTypes.DESTINATION_SENT -> "destination-sent";
            case CounterTypes.DESTINATION_RELEASED -> "destination-released";
            case CounterTypes.DESTINATION_CONNECTED -> "destination-connected";
            case CounterTypes.DESTINATION_LEFT -> "destination-left";
            case CounterTypes.DESTINATIONS -> "destinations";
            case CounterTypes.SOURCE_POSITION -> "source-position";
            case CounterTypes.SOURCE_DELIVERED -> "source-led";
            default -> null;
        };
    }

    private void print(List<Row> rows, PrintWriter out) {
        if (isJson) {
            JsonRows json = new JsonRows();
            for (Row row : rows) {
                json.begin()
                        .put("stream", row.streamId)
                        .put("session", row.sessionId)
                        .put("registration", row.registrationId)
                        .put("transport", row.carrier)
                        .put("what", row.what)
                        .put("value", row.value)
                        .put("tether", row.tether)
                        .put("channel", channel(row.label))
                        .put("endpoint", row.endpoint)
                        .put("label", row.label)
                        .end();
            }
            out.println(json);
        } else {
            TextTable table =
                    new TextTable(
                            Column.number("stream", 0),
                            Column.number("session", 3),
                            Column.number("registration", 5),
                            Column.text("transport", 5, 0),
                            Column.text("what", 20, 0),
                            Column.number("value", 0),
                            Column.text("tether", 6, 0),
                            Column.text("endpoint", 12, 2),
                            Column.text("channel", 12, 4));
            for (Row row : rows) {
                table.add(
                        Integer.toString(row.streamId),
                        Integer.toString(row.sessionId),
                        Long.toString(row.registrationId),
                        row.carrier,
                        row.what,
                        "%,d".formatted(row.value),
                        row.tether,
                        row.endpoint,
                        channel(row.label));
            }
            table.lines(Terminal.width()).forEach(out::println);
        }
        out.flush();
    }
}
