// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.metrics.Metric;
import io.verbus.driver.metrics.MetricTable;
import io.verbus.driver.status.RecentCycle;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Checks that {@code docs/reference/counters.md} lists each counter of a driver. The tables after
 * the marker are made from the table of metrics; with {@code -Dhelp.write=true}, writes them.
 */
@Timeout(60)
class CountersPageTest {
    private static final Path PAGE = Path.of("../docs/reference/counters.md");
    private static final String MARKER =
            "<!-- The rest is written by CountersPageTest with -Dhelp.write=true. -->\n";
    private static final int MAX_LINE = 140;
    private static final String CHANNEL = "verbus:udp?endpoint=127.0.0.1:20499";

    /** Labels of the driver's counters, or their beginnings, by number. */
    private static final Map<Integer, String> DRIVER_LABELS = driverLabels();

    /** A table of the page: the counters of one type with numbers in a range. */
    private enum Table {
        AERON("Driver: Aeron's counters (type 0)", CounterTypes.SYSTEM, 0, 1000),
        VERBUS("Driver: Verbus' counters (type 10000)", CounterTypes.DRIVER, 0, 1000),
        RDMA("RDMA (type 10000)", CounterTypes.DRIVER, 1000, 1100),
        UDP("UDP (type 10000)", CounterTypes.DRIVER, 1100, 1200),
        CONNECTION("RDMA connections (type 10001)", CounterTypes.CONNECTION, 1, 20),
        IMAGE("RDMA images (type 10001)", CounterTypes.CONNECTION, 20, 30);

        private final String title;
        private final int typeId;
        private final int from;
        private final int to;

        Table(String title, int typeId, int from, int to) {
            this.title = title;
            this.typeId = typeId;
            this.from = from;
            this.to = to;
        }

        boolean has(Metric metric) {
            return metric.typeId() == typeId && metric.number() >= from && metric.number() < to;
        }

        String text() {
            String rows =
                    MetricTable.all().stream()
                            .filter(this::has)
                            .sorted(Comparator.comparingInt(Metric::number))
                            .map(CountersPageTest::row)
                            .collect(Collectors.joining());
            return "\n## " + title + "\n\n| number | label | counts |\n|---|---|---|\n" + rows;
        }
    }

    private static Map<Integer, String> driverLabels() {
        Map<Integer, String> labels = new HashMap<>();
        for (SystemCounter each : SystemCounter.values()) {
            if (!each.isAerons()) {
                labels.put(each.number(), each.label());
            }
        }
        for (TransportCounter each : TransportCounter.values()) {
            labels.put(each.number(), each.label());
        }
        for (RecentCycle each : RecentCycle.values()) {
            labels.put(each.number(), each.label());
        }
        labels.put(900, "Aeron options without effect:");
        labels.put(901, "driver build:");
        return labels;
    }

    private static String label(int typeId, int number) {
        return switch (typeId) {
            case CounterTypes.SYSTEM -> SystemCounter.values()[number].label();
            case CounterTypes.DRIVER -> DRIVER_LABELS.getOrDefault(number, "no counter");
            default -> connectionLabel(number);
        };
    }

    private static String connectionLabel(int number) {
        for (ConnectionCounter each : ConnectionCounter.values()) {
            if (each.number() == number) {
                return each.label().replace(": none", "");
            }
        }
        return "no counter";
    }

    private static String row(Metric metric) {
        String label = label(metric.typeId(), metric.number());
        return "| " + metric.number() + " | `" + label + "` | " + metric.help() + " |\n";
    }

    private static String tables() {
        StringBuilder tables = new StringBuilder(MARKER);
        for (Table each : Table.values()) {
            tables.append(each.text());
        }
        return tables.toString();
    }

    @Test
    void tablesMatchMetrics() throws IOException {
        String page = Files.readString(PAGE);
        int marker = page.indexOf(MARKER);
        assertTrue(marker >= 0, PAGE + " has no line " + MARKER);
        String written = page.substring(0, marker) + tables();
        if (Boolean.getBoolean("help.write")) {
            Files.writeString(PAGE, written);
        }
        assertEquals(written, Files.readString(PAGE), "write it again with -Dhelp.write=true");
        for (String line : written.split("\n")) {
            assertTrue(line.length() <= MAX_LINE, line);
        }
    }

    @Test
    void tablesHaveCountersOfDriverAndUdp() {
        List<String> absent = new ArrayList<>();
        int[] listed = new int[1];
        String tables = tables();
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Bus bus =
                        Bus.connect(new BusContext().directoryName(driver.directory().toString()));
                Subscription subscription = bus.addSubscription(CHANNEL, 1);
                Publication publication = bus.addPublication(CHANNEL, 1)) {
            while (!publication.isConnected() || !subscription.isConnected()) {
                Thread.onSpinWait();
            }
            bus.counters()
                    .forEach(
                            (id, type, key, label) -> {
                                if (type == CounterTypes.SYSTEM || type == CounterTypes.DRIVER) {
                                    listed[0]++;
                                    String shown = label(type, key.getInt(0));
                                    boolean isShown = tables.contains("| `" + shown + "` |");
                                    if (!label.startsWith(shown) || !isShown) {
                                        absent.add(label);
                                    }
                                }
                            });
        }
        assertEquals(List.of(), absent, "add them to the table of metrics");
        assertTrue(listed[0] > 60, listed[0] + " counters");
    }

    @Test
    void pageListsCounterTypes() throws IOException, IllegalAccessException {
        String page = Files.readString(PAGE);
        List<String> absent = new ArrayList<>();
        for (Field type : CounterTypes.class.getFields()) {
            if (Modifier.isStatic(type.getModifiers())
                    && type.getInt(null) != CounterTypes.SYSTEM
                    && !page.contains("| " + type.getInt(null) + " |")) {
                absent.add(type.getName());
            }
        }
        assertEquals(List.of(), absent, "add them to " + PAGE);
    }
}
