// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.channel.Endpoint;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.metrics.MetricTable;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Checks a driver's metrics, the alert rules, and the dashboard's expressions with Prometheus'
 * promtool, which is unpacked from its Debian package on first use.
 */
@Timeout(600)
class PromtoolTest {
    private static final Path DEPLOY = Path.of("../deploy");
    private static final Path ALERTS = DEPLOY.resolve("prometheus/alerts.yml");
    private static final Path DASHBOARD = DEPLOY.resolve("grafana/verbus.json");
    private static final Pattern EXPRESSION =
            Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern OURS = Pattern.compile("\\bverbus_[a-z0-9_]+");

    private static String promtool;

    @TempDir Path folder;

    @BeforeAll
    static void unpack() throws IOException, InterruptedException {
        Path said = Files.createTempFile("verbus-promtool", ".txt");
        try {
            Process unpacked =
                    new ProcessBuilder("../tools/unpacked", "prometheus", "usr/bin/promtool")
                            .redirectError(said.toFile())
                            .start();
            promtool = new String(unpacked.getInputStream().readAllBytes()).strip();
            int status = unpacked.waitFor();
            assertEquals(0, status, () -> "cannot get promtool: " + read(said));
        } finally {
            Files.delete(said);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Fails with the tool's output if it reports a problem. */
    private void check(Path input, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(promtool));
        command.addAll(List.of(arguments));
        Path said = folder.resolve("said");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
        if (input != null) {
            builder.redirectInput(input.toFile());
        }
        Process process = builder.start();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "promtool hangs");
        assertEquals(0, process.exitValue(), () -> read(said));
    }

    @Test
    void acceptsDriverMetrics() throws IOException, InterruptedException {
        Path text = folder.resolve("metrics");
        String channel = "verbus:udp?endpoint=127.0.0.1:20498";
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(
                                DriverConfig.builder()
                                        .latencySamplesPerSecond(100)
                                        .metrics(Endpoint.parse("127.0.0.1:0")));
                Bus bus =
                        Bus.connect(new BusContext().directoryName(driver.directory().toString()));
                Subscription subscription = bus.addSubscription(channel, 1);
                Publication publication = bus.addPublication(channel, 1)) {
            while (!publication.isConnected() || !subscription.isConnected()) {
                Thread.onSpinWait();
            }
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create("http://" + driver.metrics() + "/metrics"))
                            .build();
            HttpClient.newHttpClient().send(request, BodyHandlers.ofFile(text));
        }
        assertTrue(read(text).contains("verbus_publisher_limit_bytes{"), read(text));
        assertTrue(read(text).contains("verbus_latency_seconds_bucket{hop=\"sender\""), read(text));
        check(text, "check", "metrics");
    }

    @Test
    void rejectsInvalidMetrics() throws IOException, InterruptedException {
        Path text = folder.resolve("wrong");
        Files.writeString(text, "# TYPE verbus_sent counter\nverbus_sent 1\n");
        Process process =
                new ProcessBuilder(promtool, "check", "metrics")
                        .redirectInput(text.toFile())
                        .start();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS));
        assertFalse(process.exitValue() == 0, "accepted a counter without help and _total suffix");
    }

    @Test
    void acceptsAlertRulesAndTheirTests() throws IOException, InterruptedException {
        check(null, "check", "rules", ALERTS.toString());
        check(null, "test", "rules", DEPLOY.resolve("prometheus/alerts.test.yml").toString());
    }

    @Test
    void acceptsDashboardExpressions() throws IOException, InterruptedException {
        List<String> expressions = expressions();
        assertTrue(expressions.size() > 30, expressions.size() + " expressions");
        StringBuilder rules = new StringBuilder("groups:\n  - name: dashboard\n    rules:\n");
        for (int i = 0; i < expressions.size(); i++) {
            rules.append("      - record: dashboard:expression:").append(i);
            rules.append("\n        expr: '").append(expressions.get(i).replace("'", "''"));
            rules.append("'\n");
        }
        Path file = folder.resolve("dashboard.yml");
        Files.writeString(file, rules);
        check(null, "check", "rules", file.toString());
    }

    private static List<String> expressions() throws IOException {
        List<String> expressions = new ArrayList<>();
        Matcher expression = EXPRESSION.matcher(Files.readString(DASHBOARD));
        while (expression.find()) {
            expressions.add(
                    expression
                            .group(1)
                            .replaceAll("\\\\(.)", "$1")
                            .replace("$__rate_interval", "1m"));
        }
        return expressions;
    }

    @Test
    void dashboardAndAlertsUseExistingMetrics() throws IOException {
        Set<String> named = new TreeSet<>();
        for (String text : List.of(String.join("\n", expressions()), Files.readString(ALERTS))) {
            OURS.matcher(text)
                    .results()
                    .forEach(result -> named.add(result.group().replaceFirst("_bucket$", "")));
        }
        assertTrue(named.size() > 30, named.toString());
        named.removeAll(
                MetricTable.all().stream().map(each -> each.name()).collect(Collectors.toSet()));
        assertEquals(Set.of(), named, "not in the metrics table");
    }
}
