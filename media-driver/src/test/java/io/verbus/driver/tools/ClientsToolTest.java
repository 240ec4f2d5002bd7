// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.FreePorts;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.client.ChildClient;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** {@code verbus clients} shows the state of each publication and subscription, and why. */
@Timeout(120)
class ClientsToolTest {
    private static final String IPC = "verbus:ipc";
    private static final int STATE = CounterTypes.SUBSCRIPTION_STATE;
    private static final int SECONDS = 60;

    private MediaDriver driver;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        bus = Bus.connect(Drivers.context(driver).clientName("feed"));
    }

    @AfterEach
    void close() {
        bus.close();
        driver.close();
    }

    private String dir() {
        return driver.directory().toString();
    }

    private String clients(String... options) {
        String[] args = new String[options.length + 2];
        args[0] = "--dir";
        args[1] = dir();
        System.arraycopy(options, 0, args, 2, options.length);
        ToolRun run = ToolRun.of("clients", args);
        assertEquals(0, run.status(), run.err());
        return run.out();
    }

    /**
     * Waits for a row of the table followed by a sentence.
     *
     * @param row cells up to the channel, separated by spaces; ? stands for any session.
     */
    private void await(String row, String channel, String why) {
        Pattern pattern =
                Pattern.compile(
                        row.replace("?", "-?\\d+").replace(" ", " +")
                                + " +"
                                + Pattern.quote(channel)
                                + (why.isEmpty() ? "\\R" : "\\R +" + Pattern.quote(why)));
        Await.until(
                () -> row + " and " + why + " in\n" + clients(),
                SECONDS,
                () -> pattern.matcher(clients()).find());
    }

    @Test
    void printsClientWithNamePidAndVersion() {
        bus.addSubscription(IPC, 10);
        Await.until(
                "named",
                () ->
                        clients()
                                .lines()
                                .anyMatch(
                                        line ->
                                                line.matches(
                                                        " *\\d+ feed +"
                                                                + ProcessHandle.current().pid()
                                                                + " +\\d\\S+ +\\d+\\.\\d s +0"
                                                                + " +1")));
    }

    @Test
    void reportsStreamsWithoutCounterpart() throws IOException {
        String udp = "aeron:udp?endpoint=127.0.0.1:" + FreePorts.next();
        bus.addSubscription(IPC, 10);
        bus.addSubscription(IPC, 12);
        bus.addExclusivePublication(IPC, 11);
        bus.addSubscription(udp, 7);
        bus.addExclusivePublication(udp, 7);
        bus.addSubscription(udp, 8);
        bus.addExclusivePublication(udp, 9);
        bus.addSubscription("aeron-spy:" + udp, 6);
        await(
                "pub 11 ? ipc waiting",
                IPC,
                "no subscription for stream 11 over IPC in this driver; streams 10, 12 exist:"
                        + " subscribe to the stream on an ipc channel of this driver");
        await(
                "sub 10 any ipc waiting",
                IPC,
                "no publication of stream 10 over IPC in this driver; stream 11 exists: publish"
                        + " to the same stream, or subscribe to another");
        await(
                "sub 8 any udp waiting",
                udp,
                "no publication of stream 8 has reached "
                        + udp.substring(udp.indexOf('=') + 1)
                        + "; stream 7 exists: publish there, and check the address and"
                        + " firewalls");
        await(
                "pub 9 ? udp waiting",
                udp,
                "no receiver has answered at "
                        + udp.substring(udp.indexOf('=') + 1)
                        + ": subscribe to stream 9 there, and check the address and firewalls");
        await(
                "sub 6 any spy waiting",
                "aeron-spy:" + udp,
                "no publication of stream 6 on this channel in this driver; streams 7, 9 exist:");
    }

    @Test
    void reportsMismatchedSessions() {
        bus.addSubscription(IPC + "?session-id=5", 10);
        bus.addExclusivePublication(IPC + "?session-id=6", 10);
        await(
                "sub 10 5 ipc waiting",
                "verbus:ipc?session-id=5",
                "no publication of session 5 of stream 10 over IPC in this driver; there are only"
                        + " other sessions or tags: compare the channels");
        await(
                "pub 10 6 ipc waiting",
                "verbus:ipc?session-id=6",
                "no subscription for session 6 of stream 10 over IPC in this driver; there are only"
                        + " other sessions or tags: compare the channels");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void showsStreamUntilBothEndsHaveClosed(String media) throws IOException {
        String channel =
                media.equals("ipc") ? IPC : "verbus:udp?endpoint=127.0.0.1:" + FreePorts.next();
        Subscription subscription = bus.addSubscription(channel, 10);
        ExclusivePublication publication = bus.addExclusivePublication(channel, 10);
        await("pub 10 ? " + media + " connected", channel, "");
        await("sub 10 any " + media + " connected", channel, "");
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        Await.until("offered", () -> publication.offer(message) > 0);
        int session = publication.sessionId();
        publication.close();
        if (media.equals("ipc")) {
            await(
                    "- pub 10 ? ipc ended",
                    IPC,
                    "its clients have closed the publication, but 160 bytes are outstanding (sub");
        }
        Await.until("read", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
        await(
                "sub 10 any " + media + " ended",
                channel,
                "session " + session + " has ended: end of stream");
        subscription.close();
        Await.until("gone", () -> !clients().contains(" 10 "));
    }

    @Test
    void showsLastReceiverLeaving() {
        Subscription subscription = bus.addSubscription(IPC, 10);
        bus.addExclusivePublication(IPC, 10);
        await("pub 10 ? ipc connected", IPC, "");
        subscription.close();
        await(
                "pub 10 ? ipc no receiver",
                IPC,
                "the last receiver has left or is silent: no subscription for stream 10");
    }

    @Test
    void namesSubscriberThatBlocks() {
        Subscription subscription = bus.addSubscription(IPC, 10);
        ExclusivePublication publication = bus.addExclusivePublication(IPC, 10);
        UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
        Await.until("connected", () -> publication.isConnected());
        Await.until("blocked", () -> publication.offer(message) == Publication.BACK_PRESSURED);
        await(
                "pub 10 ? ipc blocked",
                IPC,
                "by subscription "
                        + subscription.registrationId()
                        + " of client "
                        + bus.clientId()
                        + " (feed), ");
        assertTrue(clients().contains("bytes behind: consume faster there"), clients());
    }

    @Test
    void showsBothClientsOfSharedPublicationAndDetachedSubscriber() {
        bus.close();
        driver.close();
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .untetheredWindowLimitNs(1_000_000)
                                .untetheredLingerNs(1_000_000)
                                .untetheredRestingNs(TimeUnit.HOURS.toNanos(1)));
        bus = Bus.connect(Drivers.context(driver).clientName("feed"));
        try (Bus other = Bus.connect(Drivers.context(driver).clientName("other"))) {
            Subscription reading = bus.addSubscription(IPC, 10);
            other.addSubscription(IPC + "?tether=false", 10);
            Publication mine = bus.addPublication(IPC, 10);
            other.addPublication(IPC, 10);
            UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
            Await.until(
                    "detached",
                    () -> {
                        mine.offer(message);
                        reading.poll((b, o, l, h) -> {}, 10);
                        return clients().contains("untethered");
                    });
            await(
                    other.clientId() + " sub 10 any ipc untethered",
                    "verbus:ipc?tether=false",
                    "the subscriber fell too far behind and was detached (resting): consume"
                            + " faster");
            await(bus.clientId() + " pub 10 " + mine.sessionId() + " ipc connected", IPC, "");
            await(other.clientId() + " pub 10 " + mine.sessionId() + " ipc connected", IPC, "");
            mine.close();
            String first = bus.clientId() + " +pub +10 ";
            Await.until("released", () -> !Pattern.compile(first).matcher(clients()).find());
            await(other.clientId() + " pub 10 ? ipc connected", IPC, "");
        }
    }

    @Test
    void printsJson() {
        bus.addSubscription(IPC + "?alias=\"x\"", 10);
        Await.until("named", () -> clients("--json").contains("\"name\": \"feed\""));
        String json = clients("--json");
        assertTrue(
                json.contains(
                        "\"what\": \"subscription\", \"client\": "
                                + bus.clientId()
                                + ", \"registration\": "),
                json);
        assertTrue(
                json.contains(
                        "\"stream\": 10, \"transport\": \"ipc\", \"channel\":"
                                + " \"verbus:ipc?alias=\\\"x\\\"\", \"endpoint\": \"\", \"state\":"
                                + " \"waiting\", \"why\": \"no publication of stream 10 "),
                json);
        assertTrue(json.contains("\"pid\": " + ProcessHandle.current().pid()), json);
    }

    @Test
    void freesCountersOfClosedClients() {
        int before = Drivers.count(bus, STATE);
        try (Bus other = Drivers.connect(driver)) {
            other.addSubscription(IPC, 10);
            other.addPublication(IPC, 10);
            assertEquals(before + 1, Drivers.count(bus, STATE));
        }
        Await.until("freed", () -> Drivers.count(bus, STATE) == before);
        assertEquals(List.of(), Drivers.errors(driver));
    }

    /** A killed driver's file shows the last state, including the clients' processes. */
    @Test
    void printsLastStateOfKilledDriver() {
        Path directory = Drivers.keptPath();
        try (ChildProcess child =
                ChildProcess.start(MediaDriver.class, "dir=" + directory, "threading=shared")) {
            child.awaitLine("verbus driver ready");
            try (ChildProcess publisher =
                    ChildProcess.start(ChildClient.class, directory.toString(), "publish", "31")) {
                ToolRun[] last = new ToolRun[1];
                Await.until(
                        "shown",
                        () -> {
                            last[0] = ToolRun.of("clients", "--dir", directory.toString());
                            return last[0].out().contains("no subscription for stream 31");
                        });
                assertEquals(0, last[0].status(), last[0].err());
                child.kill();
                ToolRun dead = ToolRun.of("clients", "--dir", directory.toString());
                assertEquals(1, dead.status());
                assertTrue(dead.out().contains("no subscription for stream 31"), dead.out());
                assertTrue(dead.out().contains(" " + publisher.pid() + " "), dead.out());
                assertTrue(dead.err().contains(" is gone: "), dead.err());
                ToolRun streams = ToolRun.of("streams", "--dir", directory.toString());
                assertEquals(1, streams.status());
                assertTrue(streams.out().contains("publisher-limit"), streams.out());
            }
        }
        DriverDirectory.open(directory).close();
    }

    @Test
    void printsChannelAndEndpointOfEachStream() throws IOException {
        String channel = "verbus:udp?endpoint=127.0.0.1:" + FreePorts.next() + "|alias=a b";
        Subscription subscription = bus.addSubscription(channel, 10);
        bus.addExclusivePublication(channel, 10);
        Await.until("connected", subscription::isConnected);
        ToolRun run = ToolRun.of("streams", "--dir", dir());
        String endpoint = channel.substring(channel.indexOf('=') + 1, channel.indexOf('|'));
        List<String> rows = run.out().lines().skip(1).toList();
        assertFalse(rows.isEmpty());
        for (String row : rows) {
            assertTrue(row.endsWith(" " + endpoint + " " + channel), run.out());
        }
        String json = ToolRun.of("streams", "--dir", dir(), "--json").out();
        assertTrue(json.contains("\"endpoint\": \"" + endpoint + "\""), json);
    }

    @ParameterizedTest
    @CsvSource({"80, 24", "60, 24", "160, 45"})
    void fitsTerminal(int columns, int rows) throws Exception {
        bus.addSubscription("verbus:udp?endpoint=127.0.0.1:" + FreePorts.next(), 10);
        try (Pty terminal = new Pty(columns, rows)) {
            for (String command : new String[] {"clients", "streams"}) {
                Process tool =
                        new ProcessBuilder(ToolRun.commandLine(command, "--dir", dir()))
                                .redirectInput(terminal.file())
                                .redirectOutput(terminal.file())
                                .redirectError(terminal.file())
                                .start();
                assertTrue(tool.waitFor(60, TimeUnit.SECONDS), command);
                assertEquals(0, tool.exitValue(), terminal.screen());
            }
            Await.until(
                    () -> "both tables on " + terminal.screen(),
                    SECONDS,
                    () ->
                            terminal.screen().contains("no publication of stream 10")
                                    && terminal.screen().contains("what"));
            assertEquals("", terminal.wrapped(), terminal.screen());
        }
    }
}
