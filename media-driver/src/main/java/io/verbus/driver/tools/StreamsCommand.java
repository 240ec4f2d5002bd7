// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.metrics.ReadCounters;

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

/**
 * {@code verbus streams}: prints the position of each publication, image and subscriber of a
 * driver.
 */
@Command(
        name = "streams",
        description =
                "Prints the streams of a running driver, what carries each, and its positions.",
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
            String label) {
        private static final Comparator<Row> ORDER =
                Comparator.comparingInt(Row::streamId)
                        .thenComparingInt(Row::sessionId)
                        .thenComparing(Row::what)
                        .thenComparingLong(Row::registrationId);
    }

    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(names = "--json", description = "as JSON")
    private boolean isJson;

    @Override
    public Integer call() {
        List<Row> rows = new ArrayList<>();
        try (CncFile cnc = directory.map()) {
            directory.checkRunning(cnc);
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
                            rows.add(row(key, carrier, what, value, tether, label));
                        }
                    });
        }
        rows.sort(Row.ORDER);
        print(rows, spec.commandLine().getOut());
        return 0;
    }

    /**
     * Adds the destinations. Their key has a channel; stream and session are those of the
     * publication, which was allocated before.
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
                                label));
                return;
            }
        }
    }

    /** Returns the registration id of the publication or image that a counter belongs to. */
    private static long source(CountersReader counters, int id, int type, DirectBuffer key) {
        return type == CounterTypes.SUBSCRIBER_POSITION
                ? Math.abs(counters.getCounterReferenceId(id)) // negative for a detached subscriber
                : key.getLong(0);
    }

    /**
     * Returns the state of an untethered subscriber: {@code active}, or the state at the end of its
     * label; empty for anything else.
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
            String label) {
        return new Row(
                key.getInt(Long.BYTES + Integer.BYTES),
                key.getInt(Long.BYTES),
                key.getLong(0),
                carrier,
                what,
                value,
                tether,
                label);
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
            Json json = new Json();
            for (Row row : rows) {
                json.begin()
                        .put("stream", row.streamId)
                        .put("session", row.sessionId)
                        .put("registration", row.registrationId)
                        .put("transport", row.carrier)
                        .put("what", row.what)
                        .put("value", row.value)
                        .put("tether", row.tether)
                        .put("label", row.label)
                        .end();
            }
            out.println(json);
        } else {
            out.printf(
                    "%10s %11s %12s %9s  %-20s %20s  %s%n",
                    "stream", "session", "registration", "transport", "what", "value", "tether");
            for (Row row : rows) {
                out.printf(
                        "%10d %11d %12d %9s  %-20s %,20d%s%n",
                        row.streamId,
                        row.sessionId,
                        row.registrationId,
                        row.carrier,
                        row.what,
                        row.value,
                        row.tether.isEmpty() ? "" : "  " + row.tether);
            }
        }
        out.flush();
    }
}
