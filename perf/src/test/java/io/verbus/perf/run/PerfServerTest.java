// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.StreamPart;
import io.verbus.perf.load.Work;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Tests a server for measurements from another host; the other host is another loopback address.
 */
@Timeout(120)
@Tag("slow")
class PerfServerTest {
    private static final String HERE = "127.0.0.1";
    private static final String TEXT = "one\nended early\n\nerror four\n";
    private static final int COUNT = 2_000;
    private static final int LENGTH = 64;

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final PerfServer server =
            new PerfServer(
                    new Endpoint(HERE, 0),
                    HERE,
                    Map.of("text", () -> TEXT),
                    new PrintStream(log, true, StandardCharsets.UTF_8));

    private final Thread thread = Thread.ofPlatform().unstarted(server::run);

    @BeforeEach
    void start() {
        thread.start();
    }

    @AfterEach
    void end() throws InterruptedException {
        server.close();
        thread.join(TimeUnit.SECONDS.toMillis(10));
        assertEquals(Thread.State.TERMINATED, thread.getState());
        awaitNoChildren();
    }

    private static void awaitNoChildren() throws InterruptedException {
        for (int i = 0; i < 200 && ProcessHandle.current().children().count() > 0; i++) {
            Thread.sleep(50);
        }
        assertEquals(0, ProcessHandle.current().children().count());
    }

    private String address() {
        return HERE + ":" + server.port();
    }

    private String ask(String name) {
        return PerfServer.ask(address(), HERE, HERE, name);
    }

    private Work work(Load load) {
        return new Work(
                Work.Wire.UDP,
                2,
                Work.Drivers.EMBEDDED,
                LENGTH,
                1408,
                64 * 1024,
                COUNT,
                0,
                load,
                Work.Threading.INVOKER,
                Work.Idle.YIELD,
                Work.Idle.BACKOFF,
                HERE,
                HERE,
                24_470,
                "",
                address());
    }

    @Test
    void reflectsMessagesOfRunnerOnAnotherHost() throws InterruptedException {
        try (Runner runner =
                new Runner(Contender.VERBUS, work(Load.roundTrips(Load.MAX, 1)), done -> {})) {
            assertEquals(COUNT, runner.roundTrips(COUNT).histogram().getTotalCount());
            assertEquals(2, ProcessHandle.current().children().count());
        }
        awaitNoChildren(); // while the server keeps running
    }

    @Test
    void receivesStreamFromRunnerOnAnotherHost() {
        long start = System.nanoTime();
        try (Runner runner =
                new Runner(Contender.VERBUS, work(Load.stream(64, 1, 1)), done -> {})) {
            var throughput = runner.stream(COUNT);
            assertEquals((long) COUNT * LENGTH, throughput.bytes());
            assertTrue(throughput.elapsedNs() > 0);
            assertTrue(throughput.elapsedNs() < System.nanoTime() - start);
        }
    }

    @Test
    void reportsWhyProcessEnded() {
        Work work = work(Load.roundTrips(Load.MAX, 1));
        String address = "reflector=";
        Work elsewhere =
                Work.parse(
                        work.toArguments().stream()
                                .map(
                                        word ->
                                                word.startsWith(address)
                                                        ? address + "192.0.2.1"
                                                        : word)
                                .toList());
        BusException failure =
                assertThrows(
                        BusException.class,
                        () -> {
                            try (Runner runner =
                                    new Runner(Contender.VERBUS, elsewhere, done -> {})) {
                                runner.roundTrips(1);
                            }
                        });
        assertTrue(
                failure.getMessage().contains("ended with status 1 at " + address()),
                failure.getMessage());
    }

    @Test
    void bindsLocalAddressWhenServerIsAtRemoteAddress() throws IOException {
        String elsewhere = "127.0.0.2";
        Map<String, Supplier<String>> texts = Map.of("text", () -> TEXT);
        try (PerfServer other =
                new PerfServer(new Endpoint(HERE, 0), elsewhere, texts, System.err)) {
            Thread.ofPlatform().daemon().start(other::run);
            String address = HERE + ":" + other.port();
            assertEquals(TEXT, PerfServer.ask(address, elsewhere, HERE, "text"));
            BusException refused =
                    assertThrows(
                            BusException.class,
                            () -> PerfServer.ask(address, elsewhere, elsewhere, "text"));
            assertTrue(refused.getMessage().contains("--for"), refused.getMessage());
            BusException foreign =
                    assertThrows(
                            BusException.class,
                            () -> PerfServer.ask(address, "192.0.2.1", HERE, "text"));
            assertTrue(
                    foreign.getMessage().contains("an address of this host as --local"),
                    foreign.getMessage());
        }
    }

    @Test
    void returnsOnlyKnownTexts() {
        assertEquals(TEXT, ask("text"));
        BusException failure = assertThrows(BusException.class, () -> ask("secret"));
        assertTrue(
                failure.getMessage().contains("did not return its text secret"),
                failure.getMessage());
    }

    @Test
    void rejectsUnexpectedHosts() throws IOException {
        String said = say("127.0.0.9", "verbus-perf 1\nclock\n");
        assertTrue(said.startsWith("error this server serves only"), said);
        assertTrue(log.toString(StandardCharsets.UTF_8).contains("rejected 127.0.0.9"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1",
                "verbus-perf 1\nshell ls",
                "verbus-perf 1\nworker",
                "verbus-perf 1\nworker VERBUS",
                "verbus-perf 1\nworker NOBODY wire=UDP",
                "verbus-perf 1\nperftest ib_write_lat",
                "verbus-perf 1\nperftest /bin/ls 1 1 none WORK",
                "verbus-perf 1\nperftest ib_write_lat 1 1 --help WORK",
                "verbus-perf 1\nperftest ib_write_lat 1 1 none WRONG",
            })
    void rejectsInvalidRequests(String request) throws IOException {
        String work = String.join(" ", work(Load.stream(64, 1, 1)).toArguments());
        String said =
                say(
                        HERE,
                        request.replace("WORK", work)
                                        .replace("WRONG", work.replace("affinity=", "affinity=-x"))
                                + "\n");
        assertTrue(said.startsWith("error "), said);
        assertEquals(1, said.lines().count(), said);
        assertEquals(0, ProcessHandle.current().children().count());
        assertEquals(TEXT, ask("text"));
    }

    @Test
    void closesConnectionWithoutCompleteLine() throws IOException {
        assertEquals("", say(HERE, "x".repeat(10_000)));
        assertEquals(TEXT, ask("text"));
    }

    /** Sends words to the server from an address; returns its answer. */
    private String say(String from, String words) throws IOException {
        try (Socket socket =
                new Socket(
                        InetAddress.getByName(HERE),
                        server.port(),
                        InetAddress.getByName(from),
                        0)) {
            socket.getOutputStream().write(words.getBytes(StandardCharsets.UTF_8));
            try {
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (SocketException reset) {
                return ""; // the server closed the connection with unread input
            }
        }
    }

    @Test
    void reportsMissingServer() throws InterruptedException {
        end();
        BusException failure = assertThrows(BusException.class, () -> ask("text"));
        assertTrue(failure.getMessage().contains("verbus perf serve"), failure.getMessage());
    }

    @Test
    void convertsTimesBetweenClocks() {
        StreamPart part = new StreamPart(1_000, 2_000, 1, 2, 3, 4, 5);
        assertEquals(new StreamPart(900, 1_900, 1, 2, 3, 4, 5), part.onClockBehind(100));
        assertEquals(new StreamPart(1_100, 2_100, 1, 2, 3, 4, 5), part.onClockBehind(-100));
    }
}
