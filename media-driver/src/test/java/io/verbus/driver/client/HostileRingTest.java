// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.ThreadingMode;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;

/**
 * A client corrupts the command ring directly: the driver skips the data, reports it once, and
 * serves other clients.
 */
@Timeout(180)
class HostileRingTest {
    private static final int TYPE = 4;
    private static final int MIB = 1024 * 1024;

    private MediaDriver driver;
    private HonestStream honest;
    private CncFile cnc;
    private UnsafeBuffer buffer;
    private ManyToOneRingBuffer ring;
    private int capacity;

    @BeforeEach
    void launch() {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .threading(ThreadingMode.DEDICATED)
                                .toClientsLength(64 * 1024)
                                .clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(2)));
        honest = new HonestStream(driver, "aeron:ipc", 1);
        cnc = CncFile.map(driver.directory().resolve(CncFile.NAME));
        buffer = cnc.toDriver();
        ring = new ManyToOneRingBuffer(buffer);
        capacity = ring.capacity();
    }

    @AfterEach
    void close() {
        honest.close();
        cnc.close();
        driver.close();
    }

    private long word(int offset) {
        return buffer.getLongVolatile(capacity + offset);
    }

    private void word(int offset, long value) {
        buffer.putLongVolatile(capacity + offset, value);
    }

    /** Claims space like a client library, and writes a record there. Returns its position. */
    private long write(int claimed, int length, int type) {
        long tail = word(RingBufferDescriptor.TAIL_POSITION_OFFSET);
        int index = (int) tail & capacity - 1;
        buffer.putInt(RecordDescriptor.typeOffset(index), type);
        buffer.putIntRelease(RecordDescriptor.lengthOffset(index), length);
        word(RingBufferDescriptor.TAIL_POSITION_OFFSET, tail + claimed);
        return tail;
    }

    private long malformed() {
        return new CountersReader(cnc.counterMetadata(), cnc.counterValues())
                .getCounterValue(SystemCounter.COMMANDS_MALFORMED.ordinal());
    }

    private void awaitRead() {
        Await.until(
                () -> "read up to " + ring.producerPosition() + ", at " + ring.consumerPosition(),
                30,
                () -> ring.consumerPosition() == ring.producerPosition());
    }

    private void assertServes() {
        assertServesAnother();
        honest.awaitProgress();
    }

    /** A newly connected client. */
    private void assertServesAnother() {
        try (Bus bus = Drivers.connect(driver);
                Subscription subscription = bus.addSubscription("aeron:ipc", 7);
                Publication publication = bus.addPublication("aeron:ipc", 7)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            Await.until("sent", () -> publication.offer(message) > 0);
            Await.until("read", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
        }
        assertNull(driver.failure());
    }

    private void assertLoggedOnce() {
        long entries =
                Drivers.errors(driver).stream()
                        .filter(text -> text.contains("command buffer"))
                        .count();
        assertEquals(1, entries, Drivers.errors(driver).toString());
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Integer.MAX_VALUE,
                Integer.MIN_VALUE,
                -Integer.MAX_VALUE,
                MIB,
                -MIB,
                65,
                -65,
                1,
                7,
                -7
            })
    void skipsRecordsWithInvalidLength(int length) {
        for (int i = 1; i <= 3; i++) {
            write(64, length, TYPE);
            long times = i;
            Await.until("counted", () -> malformed() >= times);
            awaitRead();
        }
        assertServes();
        assertLoggedOnce();
    }

    @Test
    void skipsMessagesLongerThanMaximum() {
        int length = capacity / 8 + 2 * RecordDescriptor.HEADER_LENGTH;
        write(length, length, TYPE);
        Await.until("counted", () -> malformed() >= 1);
        awaitRead();
        assertServes();
        assertLoggedOnce();
    }

    /** Like a client that dies after claiming space. */
    @ParameterizedTest
    @ValueSource(ints = {0, -64})
    void unblocksUncommittedRecords(int length) {
        write(64, length, TYPE);
        awaitRead();
        assertServes();
        assertEquals(0, malformed());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, -2, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x7777})
    void continuesAfterRecordsOfInvalidType(int type) {
        write(64, 64, type);
        awaitRead();
        assertServes();
    }

    @ParameterizedTest
    @CsvSource({"-8", "-4096", "3", "9223372036854775807", "-9223372036854775808", "1073741824"})
    void restoresCorruptTail(long moved) {
        word(
                RingBufferDescriptor.TAIL_POSITION_OFFSET,
                word(RingBufferDescriptor.TAIL_POSITION_OFFSET) + moved);
        Await.until("counted", () -> malformed() >= 1);
        awaitRead();
        assertServes();
        assertLoggedOnce();
    }

    @ParameterizedTest
    @CsvSource({
        "HEAD_POSITION_OFFSET, 9223372036854775807",
        "HEAD_POSITION_OFFSET, -1",
        "HEAD_POSITION_OFFSET, 3",
        "HEAD_CACHE_POSITION_OFFSET, 9223372036854775807",
        "HEAD_CACHE_POSITION_OFFSET, 4611686018427387904",
        "CORRELATION_COUNTER_OFFSET, 9223372036854775807",
        "CORRELATION_COUNTER_OFFSET, -9223372036854775808",
        "CORRELATION_COUNTER_OFFSET, 0",
        "CORRELATION_COUNTER_OFFSET, -5"
    })
    void restoresFieldsOfRingTrailer(String field, long junk) throws Exception {
        int offset = RingBufferDescriptor.class.getField(field).getInt(null);
        word(offset, junk);
        Await.until("restored", () -> word(offset) != junk && malformed() >= 1);
        assertTrue(word(RingBufferDescriptor.CORRELATION_COUNTER_OFFSET) > 0);
        assertServes();
        assertLoggedOnce();
    }

    @ParameterizedTest
    @ValueSource(longs = {3, -8, 4096, Long.MAX_VALUE, Long.MIN_VALUE})
    void sendsEventsAfterEventTailIsOverwritten(long moved) {
        UnsafeBuffer events = cnc.toClients();
        int tail =
                events.capacity()
                        - BroadcastBufferDescriptor.TRAILER_LENGTH
                        + BroadcastBufferDescriptor.TAIL_COUNTER_OFFSET;
        long before = events.getLongVolatile(tail);
        events.putLongVolatile(tail, before + moved);
        ring.write(TYPE, new UnsafeBuffer(new byte[64]), 0, 64); // makes the driver answer
        Await.until(
                "a tail just after the one before",
                () -> {
                    long now = events.getLongVolatile(tail);
                    return now > before
                            && now <= before + 4096
                            && now % 8 == 0
                            && now != before + moved;
                });
        assertServesAnother(); // the others may have read invalid events
    }

    /** Events wrap around their buffer, with padding at its end. */
    @Test
    void keepsEventTailAcrossWrap() {
        UnsafeBuffer events = cnc.toClients();
        int capacity = events.capacity() - BroadcastBufferDescriptor.TRAILER_LENGTH;
        int tail = capacity + BroadcastBufferDescriptor.TAIL_COUNTER_OFFSET;
        try (Bus bus = Drivers.connect(driver)) {
            while (events.getLongVolatile(tail) < 3L * capacity) {
                bus.addSubscription("aeron:ipc", 8).close();
            }
        }
        assertServes();
    }

    @Test
    void restoresHeartbeat() {
        word(RingBufferDescriptor.CONSUMER_HEARTBEAT_OFFSET, Long.MIN_VALUE);
        Await.until("restored", () -> ring.consumerHeartbeatTime() > 0);
        assertServes();
    }
}
