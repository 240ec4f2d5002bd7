// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Over UDP, both clients learn once per stream that there is no room for images. */
@Timeout(90)
class UdpFullMemoryTest {
    private static final int STREAM = 77;
    private static final String MOUNT = "mount -t tmpfs -o size=16m none \"$0\" && exec \"$@\"";

    @Test
    void reportsLackOfMemoryForImagesToBothClients(@TempDir Path folder) throws Exception {
        Process probe = new ProcessBuilder("unshare", "-rm", "true").start();
        Assumptions.assumeTrue(
                probe.waitFor() == 0, "no mount namespace can be made here: unshare fails");
        List<String> command =
                new ArrayList<>(List.of("unshare", "-rm", "bash", "-c", MOUNT, folder.toString()));
        command.addAll(
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "--enable-native-access=ALL-UNNAMED",
                        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Clients.class.getName(),
                        folder.resolve("driver").toString()));
        Process clients = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(clients.getInputStream().readAllBytes());
            assertTrue(clients.waitFor(60, TimeUnit.SECONDS), "still runs, after: " + output);
            assertEquals(0, clients.exitValue(), output);
            assertTrue(output.contains("subscriber: 2, publisher: 2"), output);
        } finally {
            clients.destroyForcibly();
        }
    }

    /** Two drivers, the receiving one with its directory on a file system of 16 MiB. */
    static final class Clients {
        private Clients() {}

        /** Argument: directory of the receiving driver. */
        public static void main(String[] args) throws IOException, InterruptedException {
            ConcurrentLinkedQueue<String> subscribers = new ConcurrentLinkedQueue<>();
            ConcurrentLinkedQueue<String> publishers = new ConcurrentLinkedQueue<>();
            String channel = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
            try (MediaDriver receiving =
                            MediaDriver.launch(
                                    Drivers.config()
                                            .directory(Path.of(args[0]))
                                            .counterValuesLength(1 << 20)
                                            .errorLogLength(1 << 20)
                                            .build());
                    MediaDriver sending =
                            MediaDriver.launch(
                                    Drivers.config()
                                            .directory(DriverDirectory.uniquePath())
                                            .build());
                    Bus in =
                            Bus.connect(
                                    new BusContext()
                                            .directoryName(receiving.directory().toString())
                                            .errorHandler(
                                                    error -> subscribers.add(error.getMessage())));
                    Bus out =
                            Bus.connect(
                                    new BusContext()
                                            .directoryName(sending.directory().toString())
                                            .publicationErrorHandler(
                                                    (publication, code, message) ->
                                                            publishers.add(message)));
                    Subscription subscription = in.addSubscription(channel, STREAM);
                    Publication longest =
                            out.addExclusivePublication(channel + "|term-length=16m", STREAM);
                    Publication longer =
                            out.addExclusivePublication(channel + "|term-length=8m", STREAM)) {
                Await.until("all", () -> subscribers.size() >= 2 && publishers.size() >= 2);
                long refused = refusals(in);
                Await.until("refused again and again", () -> refusals(in) >= refused + 6);
                System.out.println(
                        "subscriber: "
                                + count(subscribers, "is missing an image")
                                + ", publisher: "
                                + count(publishers, "cannot receive the stream"));
                System.out.println(subscribers.peek());
                System.out.println(publishers.peek());
                System.out.println(
                        subscription.imageCount()
                                + " "
                                + longest.isConnected()
                                + " "
                                + longer.isConnected());
            }
        }

        private static long refusals(Bus bus) {
            long[] value = new long[1];
            bus.counters()
                    .forEach(
                            (id, type, key, label) -> {
                                if (label.equals("udp: set-ups refused")) {
                                    value[0] = bus.counters().getCounterValue(id);
                                }
                            });
            return value[0];
        }

        private static long count(ConcurrentLinkedQueue<String> told, String words) {
            return told.stream()
                    .filter(text -> text.contains(words) && text.contains("too little space"))
                    .count();
        }
    }
}
