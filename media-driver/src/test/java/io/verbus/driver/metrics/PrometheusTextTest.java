// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.CncSpec;
import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.CounterTypes;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;

/** Text for a driver's file, whatever the file contains. */
@Timeout(60)
class PrometheusTextTest {
    private static final CncSpec SPEC =
            new CncSpec(
                    99, 1_700_000_000_000L, 1234, 5_000_000_000L, 65536, 32768, 16384, 8192, true);
    private static final int ROUNDS = 200;

    @TempDir Path directory;
    private final PrometheusText text = new PrometheusText();
    private CncFile cnc;
    private CountersManager counters;

    @BeforeEach
    void create() {
        cnc = CncFile.create(directory.resolve(CncFile.NAME), SPEC);
        counters = new CountersManager(cnc.counterMetadata(), cnc.counterValues());
    }

    @AfterEach
    void close() {
        cnc.close();
    }

    private Exposition read() {
        return new Exposition(text.of(new DriverWatch.Look(cnc, null, 7, null)));
    }

    private void stream(int typeId, long registration, String text, long value) {
        counters.newCounter(
                        "label that is not parsed: 1 2 3",
                        typeId,
                        key -> {
                            key.putLong(0, registration);
                            key.putInt(8, -5);
                            key.putInt(12, 1001);
                            key.putInt(16, text.length());
                            key.putStringWithoutLengthAscii(20, text);
                        })
                .set(value);
    }

    @Test
    void labelsComeFromKeys() {
        stream(CounterTypes.PUBLISHER_LIMIT, 8, "aeron:udp?endpoint=a:1", 4096);
        stream(CounterTypes.DESTINATION_SENT, 8, "b:2", 64);
        stream(CounterTypes.CARRIER, 8, "rdma", 1);
        counters.newCounter(
                        "state",
                        CounterTypes.CONNECTION,
                        key ->
                                ConnectionKey.ofImage("[fe80::1]:7400", 3, 4, "mlx5_0")
                                        .withRegistrationId(12)
                                        .putTo(key, ConnectionCounter.IMAGE_STATE))
                .set(2);
        counters.newCounter(
                        "device",
                        CounterTypes.DEVICE,
                        key -> {
                            key.putInt(0, 1);
                            key.putInt(4, 6);
                            key.putStringWithoutLengthAscii(8, "mlx5_0");
                        })
                .set(4);
        Exposition all = read();
        String stream = "{stream=\"1001\",session=\"-5\",channel=\"aeron:udp?endpoint=a:1\",";
        assertEquals(
                "4096", all.value("verbus_publisher_limit_bytes" + stream + "registration=\"8\"}"));
        assertEquals(
                "64",
                all.value(
                        "verbus_destination_sent_bytes_total"
                                + stream
                                + "peer=\"b:2\",registration=\"8\"}"));
        assertEquals(
                "1",
                all.value("verbus_carried" + stream + "transport=\"rdma\",registration=\"8\"}"));
        assertEquals(
                "2",
                all.value(
                        "verbus_rdma_image_state{stream=\"4\",session=\"3\","
                            + "peer=\"[fe80::1]:7400\",device=\"mlx5_0\",registration=\"12\"}"));
        assertEquals("4", all.value("verbus_rdma_port_state{device=\"mlx5_0\",port=\"1\"}"));
        assertEquals("5", all.value("verbus_counters_used"));
        assertEquals("0.007", all.value("verbus_driver_heartbeat_age_seconds"));
        assertEquals("1700000000", all.value("verbus_driver_start_timestamp_seconds"));
    }

    @Test
    void escapesKeysWrittenByClients() {
        stream(CounterTypes.PUBLISHER_LIMIT, 8, "aeron:udp?alias=\"\\\n\u00e9", 1);
        assertEquals(
                1,
                read().count(
                                "verbus_publisher_limit_bytes\\{.*,channel="
                                        + "\"aeron:udp\\?alias=\\\\\"\\\\\\\\\\?\\?\",.*"));
    }

    @Test
    void labelsApplicationCountersWithTypeAndRegistration() {
        int id = counters.newCounter("orders", 1001).id();
        counters.setCounterRegistrationId(id, 77);
        counters.setCounterValue(id, -3);
        assertEquals(
                "-3", read().value("verbus_application_value{type=\"1001\",registration=\"77\"}"));
    }

    @Test
    void addsCounterIdToOtherwiseEqualSeries() {
        stream(CounterTypes.SUBSCRIBER_POSITION, 8, "aeron:ipc", 1);
        stream(CounterTypes.SUBSCRIBER_POSITION, 8, "aeron:ipc", 2);
        Exposition all = read();
        assertEquals(2, all.count("verbus_subscriber_position_bytes_total.*"));
        assertEquals(1, all.count(".*,counter=\"1\"}"));
        assertEquals(3.0, all.sum("verbus_subscriber_position_bytes_total.*"));
    }

    @Test
    void reportsFirstLineOfErrors() {
        DistinctErrorLog log =
                new DistinctErrorLog(
                        cnc.errorLog(), () -> 1_700_000_000_500L, StandardCharsets.UTF_8);
        RuntimeException error = new IllegalStateException("disk \"a\\b\" is\tfull");
        error.setStackTrace(new StackTraceElement[0]); // for which the small log has no room
        log.record(error);
        log.record(error);
        Exposition all = read();
        String label = "{error=\"java.lang.IllegalStateException: disk \\\"a\\\\b\\\" is full\"}";
        assertEquals("2", all.value("verbus_logged_errors_total" + label), all.toString());
        assertEquals(
                "1700000000.5", all.value("verbus_logged_error_last_timestamp_seconds" + label));
    }

    @Test
    void reportsOnlyThatDriverIsDown() {
        String gone = text.of(new DriverWatch.Look(null, null, -1, "there is no driver"));
        assertEquals("0", new Exposition(gone).value("verbus_up"));
        assertEquals(3, gone.lines().count());
    }

    @Test
    void writesValidTextForRandomBytes() {
        long seed = Long.getLong("verbus.seed", System.nanoTime());
        System.out.println("PrometheusTextTest verbus.seed " + seed);
        Random random = new Random(seed);
        int[] types = {0, 1, 4, 6, 11, 14, 18, 999, 10_000, 10_001, 10_002, 10_006, 10_007};
        long series = 0;
        for (int round = 0; round < ROUNDS; round++) {
            spoil(cnc.counterMetadata(), random);
            spoil(cnc.counterValues(), random);
            spoil(cnc.errorLog(), random);
            for (int id = 0; id < 128; id++) {
                int at = CountersReader.metaDataOffset(id);
                cnc.counterMetadata()
                        .putInt(
                                at,
                                random.nextInt(4) == 0
                                        ? CountersReader.RECORD_RECLAIMED
                                        : CountersReader.RECORD_ALLOCATED);
                if (random.nextBoolean()) {
                    int type = types[random.nextInt(types.length)];
                    cnc.counterMetadata().putInt(at + CountersReader.TYPE_ID_OFFSET, type);
                    int length = at + CountersReader.KEY_OFFSET + 16;
                    cnc.counterMetadata().putInt(length, random.nextInt(200) - 50);
                }
            }
            cnc.errorLog().putInt(0, random.nextInt(200) - 20);
            series += read().count(".*");
        }
        assertTrue(series > 50L * ROUNDS, series + " series");
    }

    private static void spoil(UnsafeBuffer buffer, Random random) {
        byte[] bytes = new byte[buffer.capacity()];
        random.nextBytes(bytes);
        buffer.putBytes(0, bytes);
    }
}
