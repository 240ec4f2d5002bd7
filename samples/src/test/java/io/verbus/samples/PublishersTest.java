// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.ThreadingMode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The publishers among the samples, run as a user runs them. */
@Timeout(120)
@Tag("slow")
class PublishersTest {
    private static final int TERM_LENGTH = 64 * 1024;
    private static final int MESSAGES = 20_000;

    private static MediaDriver driver() {
        return MediaDriver.launchEmbedded(
                DriverConfig.builder()
                        .threading(ThreadingMode.SHARED)
                        .termLength(TERM_LENGTH)
                        .mtu(1408));
    }

    private static Process start(Path directory, Class<?> main, String... arguments)
            throws IOException {
        List<String> flags =
                List.of("-Dverbus.dir=" + directory, "-Dpause=0", "-Xmx128m", "-XX:-UsePerfData");
        return new ProcessBuilder(JavaCommand.of(main.getName(), flags, List.of(arguments)))
                .start();
    }

    private static void expectAllMessages(Process publisher, Process subscriber) throws Exception {
        try (BufferedReader received = subscriber.inputReader();
                BufferedReader sent = publisher.inputReader()) {
            // What a publisher prints is read at the same time, or it would wait for ever.
            Thread reader = Thread.ofPlatform().start(() -> sent.lines().forEach(line -> {}));
            for (int i = 0; i < MESSAGES; i++) {
                assertEquals("message " + i, received.readLine());
            }
            reader.join();
            assertTrue(publisher.waitFor(20, TimeUnit.SECONDS));
            assertEquals(0, publisher.exitValue());
        } finally {
            publisher.destroyForcibly().waitFor();
            subscriber.destroyForcibly().waitFor();
        }
    }

    @Test
    void simplePublisherLosesNothingAtEndOfTerms() throws Exception {
        try (MediaDriver driver = driver()) {
            Path directory = driver.directory();
            expectAllMessages(
                    start(directory, SimplePublisher.class, "verbus:ipc", "" + MESSAGES),
                    start(directory, SimpleSubscriber.class, "verbus:ipc"));
        }
    }

    @Test
    void simplePublisherReportsMissingSubscriber() throws Exception {
        try (MediaDriver driver = driver()) {
            Process publisher = start(driver.directory(), SimplePublisher.class, "verbus:ipc", "1");
            try (BufferedReader told = publisher.errorReader()) {
                String line = told.readLine();
                assertTrue(line.startsWith("no subscriber yet on 'verbus:ipc', stream 1: "), line);
                Process subscriber =
                        start(driver.directory(), SimpleSubscriber.class, "verbus:ipc");
                try {
                    assertEquals("message 0", subscriber.inputReader().readLine());
                } finally {
                    subscriber.destroyForcibly().waitFor();
                }
                assertTrue(publisher.waitFor(20, TimeUnit.SECONDS));
                assertEquals(0, publisher.exitValue());
                assertEquals(null, told.readLine(), "told once");
            } finally {
                publisher.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void fanOutPublisherLosesNothingAtEndOfTerms() throws Exception {
        try (MediaDriver driver = driver()) {
            Path directory = driver.directory();
            String endpoint = "127.0.0.1:24391";
            expectAllMessages(
                    start(directory, FanOutPublisher.class, "udp", "min", "" + MESSAGES, endpoint),
                    start(directory, SimpleSubscriber.class, "verbus:udp?endpoint=" + endpoint));
        }
    }

    /** The publisher and the other subscriber never wait for the slow one, and miss nothing. */
    @Test
    void detachesSlowSubscriberThatRejoins() throws Exception {
        List<Process> processes = new ArrayList<>();
        try (MediaDriver driver =
                MediaDriver.launchEmbedded(
                        DriverConfig.builder()
                                .threading(ThreadingMode.SHARED)
                                .termLength(TERM_LENGTH)
                                .untetheredWindowLimitNs(TimeUnit.MILLISECONDS.toNanos(200))
                                .untetheredLingerNs(TimeUnit.MILLISECONDS.toNanos(100))
                                .untetheredRestingNs(TimeUnit.MILLISECONDS.toNanos(300)))) {
            Path directory = driver.directory();
            Process fast = start(directory, SimpleSubscriber.class, "verbus:ipc");
            processes.add(fast);
            List<String> flags = List.of("-Dverbus.dir=" + directory, "-Dpause=600000");
            Process slow =
                    new ProcessBuilder(
                                    JavaCommand.of(
                                            SlowSubscriber.class.getName(), flags, List.of()))
                            .start();
            processes.add(slow);
            Process publisher = start(directory, SimplePublisher.class, "verbus:ipc", "1000000000");
            processes.add(publisher);
            drain(publisher);
            Thread letGoAndBack =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        Iterator<String> said =
                                                slow.inputReader().lines().iterator();
                                        skipTo(said, "detached at position ");
                                        skipTo(said, "joined at position ");
                                    });
            BufferedReader received = fast.inputReader();
            long next = number(received.readLine());
            while (letGoAndBack.isAlive() || next < MESSAGES) {
                assertEquals(++next, number(received.readLine()));
            }
        } finally {
            for (Process process : processes) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private static void skipTo(Iterator<String> lines, String prefix) {
        while (!lines.next().startsWith(prefix)) {}
    }

    private static long number(String line) {
        return Long.parseLong(line.substring("message ".length()));
    }

    @Test
    void deliversResponsesToEachRequester() throws Exception {
        String requests = "127.0.0.1:24393";
        String answers = "127.0.0.1:24394";
        List<Process> all = new ArrayList<>();
        try (MediaDriver driver = driver()) {
            Path directory = driver.directory();
            all.add(start(directory, RequestResponse.class, "answer", requests, answers));
            for (int i = 0; i < 2; i++) {
                all.add(start(directory, RequestResponse.class, "ask", requests, answers, "300"));
            }
            for (Process requester : all.subList(1, 3)) {
                for (int i = 0; i < 300; i++) {
                    assertEquals("answer " + i, requester.inputReader().readLine());
                }
                assertTrue(requester.waitFor(20, TimeUnit.SECONDS));
                assertEquals(0, requester.exitValue());
            }
        } finally {
            for (Process each : all) {
                each.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void publishersReportClosedDriverInOneLine() throws Exception {
        List<Process> publishers = new ArrayList<>();
        try {
            try (MediaDriver driver = driver()) {
                Path directory = driver.directory();
                publishers.add(start(directory, SimplePublisher.class, "verbus:ipc", "1000000000"));
                publishers.add(
                        start(
                                directory,
                                FanOutPublisher.class,
                                "udp",
                                "min",
                                "1000000000",
                                "127.0.0.1:24392"));
                Process subscriber = start(directory, SimpleSubscriber.class, "verbus:ipc");
                publishers.add(subscriber);
                assertEquals("message 0", subscriber.inputReader().readLine());
                drain(subscriber);
                drain(publishers.getFirst());
            }
            for (Process publisher : publishers.subList(0, 2)) {
                assertTrue(publisher.waitFor(30, TimeUnit.SECONDS), "still spins");
                assertEquals(1, publisher.exitValue());
                String said = publisher.errorReader().lines().reduce("", (a, b) -> a + b + "\n");
                assertTrue(said.contains("media driver"), said);
            }
        } finally {
            for (Process publisher : publishers) {
                publisher.destroyForcibly().waitFor();
            }
        }
    }

    private static void drain(Process process) {
        Thread.ofPlatform().daemon().start(() -> process.inputReader().lines().forEach(line -> {}));
    }
}
