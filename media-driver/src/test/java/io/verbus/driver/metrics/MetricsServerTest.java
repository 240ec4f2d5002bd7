// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.channel.Endpoint;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.tools.ToolRun;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** HTTP responses of a driver and {@code verbus metrics} while drivers run, die and restart. */
@Timeout(120)
class MetricsServerTest {
    private static final int IDLERS = 64;
    private static final Endpoint ANY_PORT = Endpoint.parse("127.0.0.1:0");

    @TempDir Path folder;
    private final HttpClient http = HttpClient.newHttpClient();

    private HttpResponse<String> ask(String method, String url)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create(url))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String url) {
        try {
            return ask("GET", url);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(url, e);
        }
    }

    private static MediaDriver launch() {
        return MediaDriver.launchEmbedded(Drivers.config().metrics(ANY_PORT));
    }

    private static String url(MediaDriver driver) {
        return "http://" + driver.metrics();
    }

    @Test
    void servesNothingByDefault() {
        try (MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config())) {
            assertNull(driver.metrics());
        }
    }

    @Test
    void servesMetricsOfStreams() throws IOException {
        String channel = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (MediaDriver driver = launch();
                Bus bus = Bus.connect(Drivers.context(driver));
                Subscription subscription = bus.addSubscription(channel, 1234);
                Publication publication = bus.addPublication(channel, 1234)) {
            Await.until("connected", publication::isConnected);
            UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
            for (int i = 0; i < 100; i++) {
                Await.until("sent", () -> publication.offer(message) > 0);
                Await.until("read", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
            }
            String series =
                    "\\{stream=\"1234\",session=\""
                            + publication.sessionId()
                            + "\",channel=\"\\Q"
                            + channel
                            + "\\E\",registration=\"[0-9]+\"}";
            Await.until(
                    "told",
                    () -> {
                        HttpResponse<String> answer = get(url(driver) + "/metrics");
                        assertEquals(200, answer.statusCode());
                        assertEquals(
                                "text/plain; version=0.0.4; charset=utf-8",
                                answer.headers().firstValue("Content-Type").orElseThrow());
                        Exposition all = new Exposition(answer.body());
                        return all.value("verbus_up").equals("1")
                                && all.sum("verbus_publisher_position_bytes_total" + series)
                                        == publication.position()
                                && all.sum("verbus_subscriber_position_bytes_total" + series)
                                        == publication.position()
                                && all.sum("verbus_sent_bytes_total") > publication.position();
                    });
            assertEquals(200, get(url(driver) + "/readyz").statusCode());
        }
    }

    @Test
    void rejectsUnknownPathAndPostButAnswersHead() throws IOException, InterruptedException {
        try (MediaDriver driver = launch()) {
            assertEquals(404, get(url(driver) + "/").statusCode());
            assertEquals(405, ask("POST", url(driver) + "/metrics").statusCode());
            HttpResponse<String> head = ask("HEAD", url(driver) + "/healthz");
            assertEquals(200, head.statusCode());
            assertEquals("", head.body());
        }
    }

    @Test
    void incompleteRequestsBlockNoOtherClient() throws IOException {
        List<Socket> idlers = new ArrayList<>();
        try (MediaDriver driver = launch()) {
            for (int i = 0; i < 2 * IDLERS; i++) {
                Socket idler = new Socket("127.0.0.1", driver.metrics().port());
                if (i % 2 == 0) {
                    idler.getOutputStream().write("GET /metr".getBytes(StandardCharsets.US_ASCII));
                }
                idlers.add(idler);
            }
            assertEquals(200, get(url(driver) + "/healthz").statusCode());
            // No connection was closed in the meantime, which would have made room.
            for (Socket idler : idlers) {
                idler.setSoTimeout(1);
                assertThrows(SocketTimeoutException.class, () -> idler.getInputStream().read());
            }
        } finally {
            for (Socket idler : idlers) {
                idler.close();
            }
        }
    }

    @Test
    void reportsBusyPortAndInvalidAddress() throws IOException {
        try (ServerSocket busy = new ServerSocket(0)) {
            List<String> wrong =
                    List.of(
                            "127.0.0.1:" + busy.getLocalPort(),
                            "192.0.2.1:0",
                            "no-such-host.invalid:1");
            for (String address : wrong) {
                BusException failure =
                        assertThrows(
                                BusException.class,
                                () ->
                                        MediaDriver.launchEmbedded(
                                                Drivers.config().metrics(Endpoint.parse(address))));
                assertTrue(
                        failure.getMessage().contains("cannot serve metrics at " + address),
                        failure.getMessage());
            }
            ToolRun run = ToolRun.of("metrics", "--listen", wrong.get(0));
            assertEquals(1, run.status());
            assertEquals(1, run.err().lines().count(), run.err());
            assertEquals(2, ToolRun.of("metrics", "--listen", "9464").status());
            ToolRun driver = ToolRun.of("driver", "--dir", "" + folder.resolve("d"), "--metrics=x");
            assertTrue(
                    driver.err().contains("option --metrics has the invalid value" + " 'x'"),
                    driver.err());
        }
    }

    @Test
    void readinessReportsLostDeviceAndListener() {
        try (MediaDriver driver = launch();
                CncFile cnc = CncFile.map(driver.directory().resolve(CncFile.NAME))) {
            assertEquals(200, get(url(driver) + "/readyz").statusCode());
            Places places = new Places(cnc);
            places.add(CounterTypes.DEVICE, 1, "mlx5_0", 1);
            HttpResponse<String> down = get(url(driver) + "/readyz");
            assertEquals(503, down.statusCode());
            assertTrue(down.body().contains("the RDMA device mlx5_0 is not active"), down.body());
            places.add(CounterTypes.DEVICE, 1, "mlx5_1", 4);
            assertEquals(200, get(url(driver) + "/readyz").statusCode(), "another is active");
            places.add(CounterTypes.RECEIVE_CHANNEL_STATUS, 13, "aeron:udp?a=b", -1);
            HttpResponse<String> failed = get(url(driver) + "/readyz");
            assertEquals(503, failed.statusCode());
            assertEquals(
                    "the receive endpoint of aeron:udp?a=b has failed: see `verbus errors`\n",
                    failed.body());
            assertEquals(200, get(url(driver) + "/healthz").statusCode());
        }
    }

    /** Counters behind those of the driver, as the driver would write them. */
    private static final class Places {
        private final CncFile cnc;
        private final CountersReader counters;

        Places(CncFile cnc) {
            this.cnc = cnc;
            counters = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
        }

        void add(int typeId, int first, String text, long value) {
            int id = 0;
            while (counters.getCounterState(id) != CountersReader.RECORD_UNUSED) {
                id++;
            }
            int at = CountersReader.metaDataOffset(id);
            boolean isDevice = typeId == CounterTypes.DEVICE;
            UnsafeBuffer metadata = cnc.counterMetadata();
            int key = at + CountersReader.KEY_OFFSET;
            metadata.putInt(at + CountersReader.TYPE_ID_OFFSET, typeId);
            metadata.putInt(key, first);
            metadata.putInt(isDevice ? key + 4 : key, text.length());
            metadata.putStringWithoutLengthAscii(key + (isDevice ? 8 : 4), text);
            cnc.counterValues().putLong(CountersManager.counterOffset(id), value);
            metadata.putIntRelease(at, CountersReader.RECORD_ALLOCATED);
        }
    }

    @Test
    void exporterReportsKilledDriverAndFindsNext() {
        Path directory = folder.resolve("driver");
        String[] args = {"dir=" + directory, "threading=shared"};
        try (ChildProcess exporter =
                ChildProcess.start(
                        ToolRun.class,
                        "metrics",
                        "--dir",
                        "" + directory,
                        "--listen=127.0.0.1:0")) {
            String line = exporter.awaitLine("verbus metrics serves ");
            String url = line.substring(line.indexOf("http"), line.lastIndexOf("/metrics"));
            HttpResponse<String> none = get(url + "/healthz");
            assertEquals(503, none.statusCode());
            assertTrue(none.body().contains("there is no driver in " + directory), none.body());
            assertEquals("0", new Exposition(get(url + "/metrics").body()).value("verbus_up"));
            try (ChildProcess driver = ChildProcess.start(MediaDriver.class, args)) {
                driver.awaitLine("verbus driver ready");
                Await.until("healthy", () -> get(url + "/healthz").statusCode() == 200);
                assertEquals(200, get(url + "/readyz").statusCode());
                driver.kill();
            }
            Await.until("dead", () -> get(url + "/healthz").statusCode() == 503);
            assertTrue(get(url + "/healthz").body().contains("no heartbeat"));
            assertEquals(503, get(url + "/readyz").statusCode());
            assertEquals("0", new Exposition(get(url + "/metrics").body()).value("verbus_up"));
            try (ChildProcess driver = ChildProcess.start(MediaDriver.class, args)) {
                driver.awaitLine("verbus driver ready");
                Await.until("the next", () -> get(url + "/healthz").statusCode() == 200);
                assertEquals(0, driver.terminate());
            }
            Await.until("gone", () -> get(url + "/healthz").statusCode() == 503);
            assertTrue(Files.notExists(directory));
            assertEquals(0, exporter.terminate());
        }
    }

    @Test
    void exporterReadsAeronDriver() {
        List<String> printed = new ArrayList<>();
        try (io.aeron.driver.MediaDriver driver =
                io.aeron.driver.MediaDriver.launchEmbedded(
                        new io.aeron.driver.MediaDriver.Context()
                                .aeronDirectoryName(folder.resolve("aeron").toString())
                                .dirDeleteOnShutdown(true))) {
            ToolRun run = ToolRun.of("metrics", "--dir", driver.aeronDirectoryName());
            assertEquals(0, run.status(), run.err());
            printed.add(run.out());
        }
        Exposition all = new Exposition(printed.getFirst());
        assertEquals("1", all.value("verbus_up"));
        assertEquals("1", all.value("verbus_aeron_release_info{version=\"1.51.0\"}"));
        assertEquals(0, all.count("verbus_application_value.*"), all.toString());
        assertTrue(all.count(".*") > 46, all.toString());
        ToolRun gone = ToolRun.of("metrics", "--dir", folder.resolve("aeron").toString());
        assertEquals(1, gone.status());
        assertEquals(1, gone.err().lines().count(), gone.err());
    }
}
