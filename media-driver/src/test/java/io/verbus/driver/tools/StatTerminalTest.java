// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.ThreadingMode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code verbus stat} on terminals and in a pipe. */
@Timeout(120)
class StatTerminalTest {
    private static final int SECONDS = 60;
    private static final String CHANNEL =
            "aeron:udp?endpoint=127.0.0.1:24999|alias=" + "long".repeat(20);

    private MediaDriver driver;
    private Bus bus;
    private Subscription subscription;
    private Publication publication;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config().threading(ThreadingMode.SHARED));
        bus = Bus.connect(Drivers.context(driver).clientName("watcher"));
        subscription = bus.addSubscription(CHANNEL, 1234);
        publication = bus.addPublication(CHANNEL, 1234);
        Await.until("connected", publication::isConnected);
    }

    @AfterEach
    void close() {
        publication.close();
        subscription.close();
        bus.close();
        driver.close();
    }

    private ProcessBuilder stat(String... options) {
        List<String> command = ToolRun.commandLine("stat", "--dir", driver.directory().toString());
        command.addAll(List.of(options));
        return new ProcessBuilder(command);
    }

    private Process start(Pty terminal, String... options) throws IOException {
        return stat(options)
                .redirectInput(terminal.file())
                .redirectOutput(terminal.file())
                .redirectError(terminal.file())
                .start();
    }

    private static void awaitScreen(Pty terminal, String text) {
        Await.until(
                () -> text + " on " + terminal.screen(),
                SECONDS,
                () -> terminal.screen().contains(text));
    }

    private static void assertFits(Pty terminal) {
        assertEquals("", terminal.wrapped(), terminal.screen());
    }

    @ParameterizedTest
    @CsvSource({"80, 24", "160, 45", "40, 10"})
    void fitsTerminalAndHandlesKeys(int columns, int rows) throws Exception {
        try (Pty terminal = new Pty(columns, rows)) {
            String settings = terminal.settings();
            Process stat = start(terminal, "--interval", "3600s");
            try {
                awaitScreen(terminal, "q quits");
                String screen = terminal.screen();
                List<String> lines = screen.lines().toList();
                assertTrue(lines.getLast().startsWith("q quits"), "in the last line: " + screen);
                assertTrue(columns < 80 || screen.contains("held back by"), screen);
                assertTrue(screen.contains("1234"), screen);
                assertTrue(screen.contains("gauge"), "each part has its place: " + screen);
                assertTrue(screen.contains("per second"), screen);
                assertFits(terminal);
                terminal.type("s");
                terminal.type("f");
                awaitScreen(terminal, "filter: _");
                terminal.type("watchex");
                awaitScreen(terminal, "filter: watchex_");
                terminal.type("\u007fr\r");
                awaitScreen(terminal, "q quits");
                Await.until(
                        () -> "only what the filter lets through on " + terminal.screen(),
                        SECONDS,
                        () -> !terminal.screen().contains("1234"));
                assertTrue(terminal.screen().contains("client-heartbeat"), terminal.screen());
                terminal.type("\u001b");
                awaitScreen(terminal, "1234");
                terminal.type("t");
                Await.until(
                        () -> "streams only on " + terminal.screen(),
                        SECONDS,
                        () -> !terminal.screen().contains("gauge"));
                assertFits(terminal);
                terminal.type("q");
                assertTrue(stat.waitFor(30, TimeUnit.SECONDS), "q ends it");
                assertEquals(0, stat.exitValue());
                assertEquals(settings, terminal.settings(), "the terminal is as before");
            } finally {
                stat.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void changesSortOrderOnKey() throws Exception {
        try (Pty terminal = new Pty(160, 45)) {
            Process stat = start(terminal, "--interval", "3600s");
            try {
                awaitScreen(terminal, "q quits");
                for (String order : new String[] {"id", "name", "value", "rate", "behind"}) {
                    terminal.type("s");
                    awaitScreen(terminal, " counters, by " + order);
                }
                terminal.type("q");
                assertTrue(stat.waitFor(30, TimeUnit.SECONDS));
            } finally {
                stat.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void followsTerminalResize() throws Exception {
        try (Pty terminal = new Pty(160, 45)) {
            Process stat = start(terminal, "--interval", "100ms");
            try {
                awaitScreen(terminal, "q quits");
                assertFits(terminal);
                terminal.resize(80, 24);
                Await.until(
                        () -> "drawn anew on " + terminal.screen(),
                        SECONDS,
                        () ->
                                terminal.screen().stripTrailing().lines().count() == 24
                                        && terminal.screen()
                                                .stripTrailing()
                                                .endsWith("streams only"));
                terminal.resize(80, 24); // discards the screen of the old size
                awaitScreen(terminal, "q quits");
                assertFits(terminal);
            } finally {
                stat.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void restoresTerminalWhenInterrupted() throws Exception {
        try (Pty terminal = new Pty(80, 24)) {
            String settings = terminal.settings();
            Process stat = start(terminal, "--interval", "3600s");
            try {
                awaitScreen(terminal, "q quits");
                assertFalse(settings.equals(terminal.settings()), "keys are read as they come");
                stat.destroy(); // SIGTERM
                assertTrue(stat.waitFor(30, TimeUnit.SECONDS));
                assertEquals(settings, terminal.settings());
            } finally {
                stat.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void endsWhenPipeIsClosed() throws Exception {
        Process stat = stat("--live", "--json", "--interval", "3600s").start();
        try {
            try (BufferedReader output = stat.inputReader()) {
                assertNotNull(output.readLine());
            }
            assertTrue(stat.waitFor(30, TimeUnit.SECONDS), "no subscribers any more");
            assertEquals(0, stat.exitValue());
            assertEquals("", stat.errorReader().lines().reduce("", String::concat));
        } finally {
            stat.destroyForcibly().waitFor();
        }
    }
}
