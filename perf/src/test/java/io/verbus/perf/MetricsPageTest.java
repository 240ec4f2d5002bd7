// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.metrics.Metric;
import io.verbus.driver.metrics.Metric.KeyForm;
import io.verbus.driver.metrics.MetricTable;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Checks that {@code docs/reference/metrics.md} matches the table of metrics. With {@code
 * -Dhelp.write=true}, writes the page.
 */
class MetricsPageTest {
    private static final Path PAGE = Path.of("../docs/reference/metrics.md");
    private static final int MAX_LINE = 140;

    private static String page() {
        StringBuilder page =
                new StringBuilder(
                        """
                        # Metrics

                        `verbus driver --metrics HOST:PORT` and `verbus metrics` export these metrics to Prometheus. A metric whose name ends with
                        `_total` is a counter; [hops](../latency.md) have histograms; others are gauges.
                        [Operating a driver](../guide/operate.md#watch-it) says how to scrape them.
                        `verbus stat --json` shows each counter with the name and the labels of its metric.

                        The column *counter* gives type and number of the [counter](counters.md) behind a metric. Times are in seconds, positions
                        and lengths in bytes. Positions count the bytes of a stream, so their `rate` is in bytes per second. Labels come from the keys of
                        counters, in which a `channel` is cut to 92 characters. Series that would have the same labels get the counter's id as label `counter`.
                        """);
        for (KeyForm form : KeyForm.values()) {
            List<Metric> metrics =
                    MetricTable.all().stream().filter(each -> each.key() == form).toList();
            page.append("\n## ").append(title(form)).append("\n\n");
            if (form.labels().length > 0) {
                page.append("Labels: `")
                        .append(String.join("`, `", form.labels()))
                        .append("`.\n\n");
            }
            page.append("| metric | counter | description |\n|---|---|---|\n");
            for (Metric each : metrics) {
                page.append("| `")
                        .append(each.name())
                        .append("` | ")
                        .append(counter(each))
                        .append(" | ")
                        .append(each.help())
                        .append(" |\n");
            }
        }
        return page.toString();
    }

    private static String counter(Metric metric) {
        if (metric.typeId() < 0) {
            return "";
        }
        return metric.typeId() + (metric.number() == Metric.ANY ? "" : ", " + metric.number());
    }

    private static String title(KeyForm form) {
        return switch (form) {
            case DRIVER -> "Driver";
            case BUILD -> "Builds";
            case STREAM -> "Publications";
            case IMAGE -> "Images and their subscribers";
            case CHANNEL -> "Channels";
            case ADDRESS -> "Local addresses";
            case CLIENT -> "Clients";
            case DESTINATION -> "Destinations";
            case CARRIER -> "Transports of streams";
            case CONNECTION -> "RDMA connections";
            case CONNECTION_IMAGE -> "Images over RDMA";
            case DEVICE -> "RDMA devices";
            case HOP -> "Hops of streams";
            case ERROR -> "Logged errors";
            case APPLICATION -> "Applications";
        };
    }

    @Test
    void pageMatchesMetricsTable() throws IOException {
        if (Boolean.getBoolean("help.write")) {
            Files.writeString(PAGE, page());
        }
        assertTrue(Files.exists(PAGE), "write it with -Dhelp.write=true");
        assertEquals(page(), Files.readString(PAGE), "write it again with -Dhelp.write=true");
        for (String line : page().split("\n")) {
            assertTrue(line.length() <= MAX_LINE, line);
        }
    }
}
