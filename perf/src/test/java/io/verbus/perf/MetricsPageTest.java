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
 * {@code docs/reference/metrics.md} is made of the table of metrics. With {@code -Dhelp.write=true}
 * this test writes the page.
 */
class MetricsPageTest {
    private static final Path PAGE = Path.of("../docs/reference/metrics.md");
    private static final int MAX_LINE = 140;

    private static String page() {
        StringBuilder page =
                new StringBuilder(
                        """
                        # Metrics

                        `verbus driver --metrics HOST:PORT` and `verbus metrics` give these to Prometheus, each as the kind that its name tells: one that
                        ends with `_total` is a counter, every other a gauge. [Operating a driver](../guide/operate.md#watch-it) says how to scrape them.
                        `verbus stat` shows the same table: `--json` names the metric of each counter, with its labels.

                        The column *counter* has type and number of the [counter](counters.md) that a metric is made of. Times are in seconds, positions
                        and lengths in bytes. Positions count the bytes of a stream, so `rate` of one is bytes a second. Labels come from the keys of
                        counters: a `channel` is cut to 92 characters. Where nothing else tells two series apart they have the counter's id as label `counter`.
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
            page.append("| metric | counter | says |\n|---|---|---|\n");
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
            case DRIVER -> "Of the driver as a whole";
            case BUILD -> "Of the build";
            case STREAM -> "Of publications";
            case IMAGE -> "Of images and their subscribers";
            case CHANNEL -> "Of channels";
            case ADDRESS -> "Of local addresses";
            case CLIENT -> "Of clients";
            case DESTINATION -> "Of destinations";
            case CARRIER -> "Of what carries a stream";
            case CONNECTION -> "Of RDMA connections";
            case CONNECTION_IMAGE -> "Of images over RDMA";
            case DEVICE -> "Of RDMA devices";
            case ERROR -> "Of logged errors";
            case APPLICATION -> "Of applications";
        };
    }

    @Test
    void thePageIsTheTablesOwn() throws IOException {
        if (Boolean.getBoolean("help.write")) {
            Files.writeString(PAGE, page());
        }
        assertTrue(Files.exists(PAGE), "write it with -Dhelp.write=true");
        assertEquals(page(), Files.readString(PAGE), "write it anew with -Dhelp.write=true");
        for (String line : page().split("\n")) {
            assertTrue(line.length() <= MAX_LINE, line);
        }
    }
}
