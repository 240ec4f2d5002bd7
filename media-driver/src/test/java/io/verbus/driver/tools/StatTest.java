// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@code verbus stat} shows what limits each stream, once and live. */
@Timeout(120)
class StatTest {
    private static final int STREAM = 1234;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
    private MediaDriver driver;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config().threading(ThreadingMode.SHARED).termLength(64 * 1024));
        bus = Bus.connect(Drivers.context(driver));
    }

    @AfterEach
    void close() {
        bus.close();
        driver.close();
    }

    private ToolRun stat(String... options) {
        String[] all = new String[options.length + 2];
        System.arraycopy(options, 0, all, 2, options.length);
        all[0] = "--dir";
        all[1] = driver.directory().toString();
        return ToolRun.of("stat", all);
    }

    private String out(String... options) {
        ToolRun run = stat(options);
        assertEquals(0, run.status(), run.err());
        return run.out();
    }

    private static List<String> linesOf(int stream, String text) {
        return text.lines().filter(line -> line.contains(" " + stream + " ")).toList();
    }

    @Test
    void namesSlowestSubscriberOfBlockedPublication() {
        try (Subscription fast = bus.addSubscription("aeron:ipc", STREAM);
                Subscription slow = bus.addSubscription("aeron:ipc", STREAM);
                Publication publication = bus.addPublication("aeron:ipc", STREAM)) {
            Await.until("joined", () -> fast.imageCount() == 1 && slow.imageCount() == 1);
            while (publication.offer(message) > 0) {
                fast.poll((b, o, l, h) -> {}, 10);
            }
            Await.until("told", () -> out("--streams").contains("(blocked)"));
            List<String> lines = linesOf(STREAM, out("--streams"));
            assertEquals(1, lines.size(), lines.toString());
            assertTrue(
                    lines.getFirst()
                            .endsWith(
                                    "subscription "
                                            + slow.registrationId()
                                            + " of client "
                                            + bus.clientId()
                                            + " (blocked)"),
                    lines.toString());
            String once = out("--streams");
            assertFalse(once.contains("a second"), "one sample has no rates: " + once);
            String json = out("--streams", "--json");
            assertTrue(json.contains("\"blocked\": 1"), json);
            Await.until("all read", () -> slow.poll((b, o, l, h) -> {}, 100) == 0);
            Await.until("free", () -> !out("--streams").contains("(blocked)"));
        }
        Await.until("no stream", () -> out("--streams").lines().count() == 1);
    }

    @Test
    void namesNetworkReceiverByEndpoint() throws IOException {
        String endpoint = "127.0.0.1:" + UdpInteropTest.freePort();
        String channel = "aeron:udp?endpoint=" + endpoint;
        try (Subscription slow = bus.addSubscription(channel, STREAM);
                Publication publication = bus.addPublication(channel, STREAM)) {
            Await.until("connected", publication::isConnected);
            Await.until(
                    "blocked",
                    () -> {
                        while (publication.offer(message) > 0) {
                            Thread.onSpinWait();
                        }
                        List<String> lines = linesOf(STREAM, out("--streams"));
                        return lines.stream()
                                .anyMatch(
                                        line ->
                                                line.startsWith("pub ")
                                                        && line.endsWith(endpoint + " (blocked)"));
                    });
            Await.until(
                    "the image's subscriber is behind",
                    () ->
                            linesOf(STREAM, out("--streams")).stream()
                                    .anyMatch(
                                            line ->
                                                    line.startsWith("image")
                                                            && line.contains(
                                                                    "subscription "
                                                                            + slow
                                                                                    .registrationId())));
        }
    }

    private void exchange(Publication to, Subscription from, AtomicBoolean isOver) {
        while (!isOver.get()) {
            to.offer(message);
            from.poll((b, o, l, h) -> {}, 10);
            Thread.yield();
        }
    }

    @Test
    void liveViewShowsRates() {
        try (Subscription subscription = bus.addSubscription("aeron:ipc", STREAM);
                Publication publication = bus.addPublication("aeron:ipc", STREAM)) {
            Await.until("connected", publication::isConnected);
            AtomicBoolean isOver = new AtomicBoolean();
            Thread traffic =
                    Thread.ofPlatform()
                            .daemon()
                            .start(() -> exchange(publication, subscription, isOver));
            String text = out("--live", "--count", "2", "--interval", "500ms");
            List<String> lines = linesOf(STREAM, text);
            List<String> streams = lines.stream().filter(line -> line.startsWith("pub ")).toList();
            assertEquals(2, streams.size(), text);
            // what, stream, session, transport, channel, position, bytes a second, …
            assertTrue(
                    streams.get(1)
                            .matches(
                                    "pub +[-0-9]+ +[-0-9]+ +ipc +aeron:ipc +[0-9,]+ +[1-9][0-9,]+"
                                            + " .*"),
                    text);
            assertFalse(text.contains("\u001b"), "escape codes where there is no terminal");
            isOver.set(true);
            Await.until("ended", () -> !traffic.isAlive());
        }
    }

    @Test
    void printsJsonObjectPerLine() {
        try (Subscription subscription = bus.addSubscription("aeron:ipc", STREAM);
                Publication publication = bus.addPublication("aeron:ipc", STREAM)) {
            Await.until("connected", publication::isConnected);
            String text = out("--live", "--json", "--count", "3", "--interval", "50ms");
            List<String> lines = text.lines().toList();
            assertEquals(3, lines.size(), text);
            for (String line : lines) {
                assertTrue(line.matches("\\{\"time\": \"[^\"]+\", \"streams\": \\[.*]}"), line);
                assertTrue(line.contains("\"stream\": 1234, "), line);
                assertTrue(line.contains("\"counters\": [{\"id\": 0, "), line);
            }
            assertTrue(subscription.isConnected());
            assertFalse(lines.getFirst().contains("bytesPerSecond"), lines.getFirst());
            assertTrue(lines.getLast().contains("\"bytesPerSecond\": 0"), lines.getLast());
            assertTrue(lines.getLast().contains("\"perSecond\": "), lines.getLast());
            String streams = out("--live", "--json", "--streams", "--count", "1");
            assertTrue(streams.strip().endsWith("]}") && !streams.contains("counters"), streams);
        }
    }

    @Test
    void listsGaugesSeparatelyFromRates() {
        try (Publication publication = bus.addPublication("aeron:ipc", STREAM)) {
            String text = out("--live", "--count", "1");
            int rates = text.indexOf("per second total");
            int gauges = text.indexOf("value gauge");
            int growing = text.indexOf(" commands\n");
            int gauge = text.indexOf(" clients\n");
            assertTrue(0 < rates && rates < growing && growing < gauges && gauges < gauge, text);
            assertFalse(publication.isClosed());
        }
    }

    @Test
    void printsOnceWithoutTerminalIgnoringCaseOfOptions() {
        String once = out("--once", "--filter", "status messages", "--sort", "name");
        assertEquals(once, out("--filter", "STATUS MESSAGES", "--sort", "NAME"));
        assertEquals(
                List.of(
                        "Status Messages received",
                        "Status Messages rejected",
                        "Status Messages sent"),
                once.lines().map(line -> line.replaceFirst("^ *[0-9]+ +[0-9]+ +", "")).toList());
    }

    @Test
    void jsonNamesMetricAndLabels() {
        try (Subscription subscription = bus.addSubscription("aeron:ipc", STREAM);
                Publication publication = bus.addPublication("aeron:ipc", STREAM)) {
            Await.until("connected", publication::isConnected);
            String json = out("--json", "--filter", "verbus_subscriber_position");
            assertTrue(
                    json.contains(
                            "\"metric\": \"verbus_subscriber_position_bytes_total\", \"unit\":"
                                    + " \"bytes\", \"stream\": \"1234\", \"session\": \""
                                    + publication.sessionId()
                                    + "\", \"channel\": \"aeron:ipc\", \"registration\": \""
                                    + subscription.registrationId()
                                    + "\"}"),
                    json);
        }
    }

    @Test
    void rejectsInvalidOptionsInOneLine() {
        for (String[] wrong :
                new String[][] {
                    {"--once", "--live"},
                    {"--interval", "1"},
                    {"--interval", "soon"},
                    {"--count", "-1"},
                    {"--sort", "colour"}
                }) {
            ToolRun run = stat(wrong);
            assertEquals(2, run.status(), String.join(" ", wrong));
            assertEquals(1, run.err().lines().count(), run.err());
        }
    }

    @Test
    void liveViewEndsWithDriver() {
        Thread ending =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    Await.until("looked", () -> !out("--once").isEmpty());
                                    driver.close();
                                });
        ToolRun run = stat("--live", "--interval", "100ms");
        assertEquals(1, run.status(), run.out());
        assertEquals(1, run.err().lines().count(), run.err());
        Await.until("closed", () -> !ending.isAlive());
    }
}
