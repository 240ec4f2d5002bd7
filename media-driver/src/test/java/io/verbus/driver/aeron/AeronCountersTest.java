// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.AeronCounters;
import io.aeron.CncFileDescriptor;
import io.aeron.driver.status.ClientHeartbeatTimestamp;
import io.aeron.driver.status.PublisherLimit;
import io.aeron.driver.status.PublisherPos;
import io.aeron.driver.status.ReceiverHwm;
import io.aeron.driver.status.ReceiverPos;
import io.aeron.driver.status.SenderBpe;
import io.aeron.driver.status.SenderLimit;
import io.aeron.driver.status.SenderPos;
import io.aeron.driver.status.StreamCounter;
import io.aeron.driver.status.SubscriberPos;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.LossReport;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counters and error log of a driver match Aeron's: Aeron's classes and tools read them. */
@Timeout(60)
class AeronCountersTest {
    private static final int STREAM = 10;

    private MediaDriver driver;
    private Bus bus;
    private MappedByteBuffer map;
    private CountersReader counters;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        bus = Drivers.connect(driver);
        map = IoUtil.mapExistingFile(driver.directory().resolve("cnc.dat").toFile(), "cnc");
        UnsafeBuffer header = CncFileDescriptor.createMetaDataBuffer(map);
        counters =
                new CountersReader(
                        CncFileDescriptor.createCountersMetaDataBuffer(map, header),
                        CncFileDescriptor.createCountersValuesBuffer(map, header),
                        StandardCharsets.US_ASCII);
    }

    @AfterEach
    void close() {
        bus.close();
        driver.close();
        IoUtil.unmap(map);
    }

    @Test
    void systemCountersMatchAeronsInOrder() {
        int errors = AeronCounters.SYSTEM_COUNTER_ID_ERRORS;
        int version = AeronCounters.SYSTEM_COUNTER_ID_AERON_VERSION;
        for (SystemCounterDescriptor each : SystemCounterDescriptor.values()) {
            int id = each.id();
            String label = counters.getCounterLabel(id);
            if (id == errors || id == version) {
                assertEquals(each.label().split("=")[0], label.split("=")[0]);
            } else {
                assertEquals(each.label(), label.split(": threshold=")[0]);
            }
            assertEquals(CountersReader.RECORD_ALLOCATED, counters.getCounterState(id));
            assertEquals(
                    SystemCounterDescriptor.SYSTEM_COUNTER_TYPE_ID, counters.getCounterTypeId(id));
            assertEquals(id, counters.getCounterRegistrationId(id));
            assertEquals(-1, counters.getCounterOwnerId(id));
            assertEquals(0, counters.getCounterReferenceId(id));
            assertEquals(
                    id,
                    counters.metaDataBuffer()
                            .getInt(CountersReader.metaDataOffset(id) + CountersReader.KEY_OFFSET));
        }
        int aerons = SystemCounterDescriptor.values().length;
        counters.forEach(
                (id, type, key, label) ->
                        assertEquals(id < aerons, type == CounterTypes.SYSTEM, label));
        assertEquals(0x01_33_00, counters.getCounterValue(version));
        assertEquals(
                0x01_00_00,
                counters.getCounterValue(AeronCounters.SYSTEM_COUNTER_ID_CONTROL_PROTOCOL_VERSION));
    }

    @Test
    void labelsNameThresholds() {
        assertLabel(SystemCounterDescriptor.CONDUCTOR_CYCLE_TIME_THRESHOLD_EXCEEDED, "100ms");
        assertLabel(SystemCounterDescriptor.SENDER_CYCLE_TIME_THRESHOLD_EXCEEDED, "100ms");
        assertLabel(SystemCounterDescriptor.RECEIVER_CYCLE_TIME_THRESHOLD_EXCEEDED, "100ms");
        assertLabel(SystemCounterDescriptor.NAME_RESOLVER_TIME_THRESHOLD_EXCEEDED, "5s");
    }

    private void assertLabel(SystemCounterDescriptor counter, String threshold) {
        assertEquals(
                counter.label() + ": threshold=" + threshold,
                counters.getCounterLabel(counter.id()));
    }

    /** A counter of a stream, as described by Aeron's key and value record. */
    private record Counter(
            int id, long registrationId, long ownerId, long referenceId, String label) {}

    private Map<Integer, Counter> ofStream(int streamId, int sessionId, String channel) {
        Map<Integer, Counter> found = new HashMap<>();
        counters.forEach(
                (id, type, key, label) -> {
                    if (type >= PublisherLimit.PUBLISHER_LIMIT_TYPE_ID
                            && type <= SenderBpe.SENDER_BPE_TYPE_ID
                            && type != AeronCounters.DRIVER_HEARTBEAT_TYPE_ID
                            && key.getInt(StreamCounter.STREAM_ID_OFFSET) == streamId) {
                        assertEquals(sessionId, key.getInt(StreamCounter.SESSION_ID_OFFSET));
                        assertEquals(
                                channelOf(channel),
                                key.getStringAscii(StreamCounter.CHANNEL_OFFSET));
                        long registrationId = counters.getCounterRegistrationId(id);
                        assertEquals(
                                registrationId, key.getLong(StreamCounter.REGISTRATION_ID_OFFSET));
                        found.put(
                                type,
                                new Counter(
                                        id,
                                        registrationId,
                                        counters.getCounterOwnerId(id),
                                        counters.getCounterReferenceId(id),
                                        label));
                    }
                });
        return found;
    }

    private static String channelOf(String channel) {
        int most = StreamCounter.MAX_CHANNEL_LENGTH;
        return channel.length() > most ? channel.substring(0, most) : channel;
    }

    private static String label(String name, Counter counter, int session, String channel) {
        return name + ": " + counter.registrationId + " " + session + " " + STREAM + " " + channel;
    }

    @Test
    void countersOfIpcStreamMatchAerons() {
        String channel = "verbus:ipc";
        try (Subscription subscription = bus.addSubscription(channel, STREAM);
                Publication publication = bus.addPublication(channel, STREAM)) {
            Await.until("joined", () -> subscription.imageCount() == 1);
            offerAndRead(publication, subscription);
            int session = publication.sessionId();
            Map<Integer, Counter> found = ofStream(STREAM, session, channel);
            Counter position = found.get(PublisherPos.PUBLISHER_POS_TYPE_ID);
            Counter limit = found.get(PublisherLimit.PUBLISHER_LIMIT_TYPE_ID);
            Counter subscriber = found.get(SubscriberPos.SUBSCRIBER_POSITION_TYPE_ID);
            assertEquals(3, found.size(), found.toString());
            assertEquals(label("pub-pos (concurrent)", position, session, channel), position.label);
            assertEquals(label("pub-lmt", limit, session, channel), limit.label);
            assertEquals(label("sub-pos", subscriber, session, channel) + " @0", subscriber.label);
            assertEquals(limit.registrationId, subscriber.referenceId, "the image");
            assertTrue(subscriber.registrationId != limit.registrationId);
            long client = client();
            for (Counter each : found.values()) {
                assertEquals(client, each.ownerId, each.label);
            }
            Await.until(
                    "counted",
                    () -> counters.getCounterValue(position.id) == publication.position());
            assertEquals(publication.position(), counters.getCounterValue(subscriber.id));
        }
    }

    private static void offerAndRead(Publication publication, Subscription subscription) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        Await.until("offered", () -> publication.offer(message) > 0);
        Await.until("read", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
    }

    /** The only client's id, from its heartbeat counter. */
    private long client() {
        long[] client = {-1};
        counters.forEach(
                (id, type, key, label) -> {
                    if (type == AeronCounters.DRIVER_HEARTBEAT_TYPE_ID) {
                        client[0] = key.getLong(0);
                        assertEquals(client[0], counters.getCounterRegistrationId(id));
                        assertEquals(client[0], counters.getCounterOwnerId(id));
                        String driversPart = ClientHeartbeatTimestamp.NAME + ": id=" + client[0];
                        String clientsPart = "( name= version=\\S+ commit=\\S+ pid=\\d+)?";
                        assertTrue(label.matches(driversPart + clientsPart), label);
                    }
                });
        assertTrue(client[0] > 0, "client " + client[0]);
        return client[0];
    }

    @Test
    void countersOfNetworkStreamMatchAerons() throws IOException {
        String there = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (Subscription subscription = bus.addSubscription(there, STREAM);
                Publication publication = bus.addExclusivePublication(there, STREAM)) {
            Await.until("joined", () -> subscription.imageCount() == 1);
            offerAndRead(publication, subscription);
            int session = publication.sessionId();
            Map<Integer, Counter> found = ofStream(STREAM, session, there);
            long client = client();
            Map<Integer, String> names =
                    Map.of(
                            PublisherPos.PUBLISHER_POS_TYPE_ID, "pub-pos (exclusive)",
                            PublisherLimit.PUBLISHER_LIMIT_TYPE_ID, PublisherLimit.NAME,
                            SenderPos.SENDER_POSITION_TYPE_ID, SenderPos.NAME,
                            SenderLimit.SENDER_LIMIT_TYPE_ID, SenderLimit.NAME,
                            SenderBpe.SENDER_BPE_TYPE_ID, SenderBpe.NAME,
                            ReceiverHwm.RECEIVER_HWM_TYPE_ID, ReceiverHwm.NAME,
                            ReceiverPos.RECEIVER_POS_TYPE_ID, ReceiverPos.NAME,
                            SubscriberPos.SUBSCRIBER_POSITION_TYPE_ID, SubscriberPos.NAME);
            assertEquals(names.keySet(), found.keySet());
            names.forEach(
                    (type, name) -> {
                        Counter each = found.get(type);
                        boolean isSubscriber = type == SubscriberPos.SUBSCRIBER_POSITION_TYPE_ID;
                        assertEquals(
                                label(name, each, session, there) + (isSubscriber ? " @0" : ""),
                                each.label);
                        assertEquals(client, each.ownerId, each.label);
                    });
            long image = found.get(ReceiverPos.RECEIVER_POS_TYPE_ID).registrationId;
            assertEquals(image, found.get(ReceiverHwm.RECEIVER_HWM_TYPE_ID).registrationId);
            assertEquals(image, found.get(SubscriberPos.SUBSCRIBER_POSITION_TYPE_ID).referenceId);
            long position = publication.position();
            for (int type :
                    List.of(
                            PublisherPos.PUBLISHER_POS_TYPE_ID,
                            SenderPos.SENDER_POSITION_TYPE_ID,
                            ReceiverHwm.RECEIVER_HWM_TYPE_ID,
                            ReceiverPos.RECEIVER_POS_TYPE_ID,
                            SubscriberPos.SUBSCRIBER_POSITION_TYPE_ID)) {
                Await.until(
                        names.get(type),
                        () -> counters.getCounterValue(found.get(type).id) == position);
            }
            assertTrue(
                    counters.getCounterValue(found.get(SenderLimit.SENDER_LIMIT_TYPE_ID).id)
                            >= position);
            for (SystemCounterDescriptor each :
                    List.of(
                            SystemCounterDescriptor.BYTES_SENT,
                            SystemCounterDescriptor.BYTES_RECEIVED,
                            SystemCounterDescriptor.STATUS_MESSAGES_SENT,
                            SystemCounterDescriptor.STATUS_MESSAGES_RECEIVED,
                            SystemCounterDescriptor.HEARTBEATS_SENT,
                            SystemCounterDescriptor.HEARTBEATS_RECEIVED,
                            SystemCounterDescriptor.CONDUCTOR_MAX_CYCLE_TIME,
                            SystemCounterDescriptor.SENDER_MAX_CYCLE_TIME,
                            SystemCounterDescriptor.RECEIVER_MAX_CYCLE_TIME,
                            SystemCounterDescriptor.BYTES_CURRENTLY_MAPPED)) {
                Await.until(each.label(), () -> counters.getCounterValue(each.id()) > 0);
            }
            assertEquals(0, counters.getCounterValue(SystemCounterDescriptor.INVALID_PACKETS.id()));
        }
    }

    @Test
    void truncatesChannelLongerThanKey() {
        String channel =
                "verbus:udp?endpoint=127.0.0.1:20499|interface=127.0.0.1|term-length=64k|mtu=1408"
                        + "|session-id=-77|ssc=false";
        try (Publication publication = bus.addPublication(channel, STREAM)) {
            String[] labels = new String[1];
            counters.forEach(
                    (id, type, key, label) -> {
                        if (type == PublisherLimit.PUBLISHER_LIMIT_TYPE_ID) {
                            labels[0] = label;
                        }
                    });
            String told = labels[0].substring(labels[0].indexOf("verbus:"));
            assertTrue(told.length() > StreamCounter.MAX_CHANNEL_LENGTH, told);
            assertEquals(5, ofStream(STREAM, publication.sessionId(), told).size());
        }
    }

    @Test
    void aeronReadsErrorsFromFile() throws IOException {
        String refusal =
                Drivers.refusal(() -> bus.addSubscription("verbus:udp?endpoint=192.0.2.1:9", 1));
        assertTrue(refusal.length() > 0);
        UnsafeBuffer header = CncFileDescriptor.createMetaDataBuffer(map);
        List<String> read = new ArrayList<>();
        ErrorLogReader.read(
                CncFileDescriptor.createErrorLogBuffer(map, header),
                (count, first, last, text) -> read.add(text.lines().findFirst().orElse("")));
        assertEquals(Drivers.errors(driver), read);
    }

    private String run(String tool) {
        StringBuilder text = new StringBuilder();
        try (ChildProcess process =
                ChildProcess.start(AeronTool.class, tool, driver.directory().toString())) {
            for (String line = process.line(); line != null; line = process.line()) {
                text.append(line).append('\n');
            }
        }
        return text.toString();
    }

    private static void assertSays(String text, String... parts) {
        for (String part : parts) {
            assertTrue(text.contains(part), part + " is not in " + text);
        }
    }

    @Test
    void aeronToolsPrintDriverState() throws IOException {
        String channel = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (Subscription subscription = bus.addSubscription(channel, STREAM);
                Publication publication = bus.addPublication(channel, STREAM)) {
            Await.until("joined", () -> subscription.imageCount() == 1);
            offerAndRead(publication, subscription);
            assertSays(run("AeronStat"), "NAKs sent", "Control protocol version", "sub-pos: ");
            assertSays(run("StreamStat"), "streamId=" + STREAM, "snd-pos", "rcv-hwm", channel);
            assertSays(run("BacklogStat"), "sessionId=" + publication.sessionId());
            assertSays(run("ErrorStat"), "distinct errors");
            // Written like the driver's conductor does: it replaces the existing file.
            var file = driver.directory().resolve(LossReport.NAME);
            Files.delete(file);
            try (LossReport report = LossReport.create(file)) {
                report.add(7, -3, "127.0.0.1:4000", "10.0.0.1:5", 2, 64, 0);
                assertSays(run("LossStat"), "2,64,", "-3,7,127.0.0.1:4000,10.0.0.1:5");
            }
        }
    }

    @Test
    void lengthsOfCounterBuffersMatchFileHeader() {
        try (CncFile cnc = CncFile.map(driver.directory().resolve(CncFile.NAME))) {
            DirectBuffer ours = cnc.counterValues();
            assertEquals(counters.valuesBuffer().capacity(), ours.capacity());
            assertEquals(counters.metaDataBuffer().capacity(), cnc.counterMetadata().capacity());
        }
    }
}
