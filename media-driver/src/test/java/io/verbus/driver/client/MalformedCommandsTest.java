// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.AddPublicationEncoder;
import io.verbus.codecs.control.AddSubscriptionEncoder;
import io.verbus.codecs.control.RejectImageEncoder;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.util.List;

/** Whatever the ring buffer contains, the conductor continues and serves the next client. */
class MalformedCommandsTest {
    private static MediaDriver driver;
    private static CncFile cnc;
    private static ManyToOneRingBuffer commands;

    @BeforeContainer
    static void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        cnc = CncFile.map(driver.directory().resolve(CncFile.NAME));
        commands = new ManyToOneRingBuffer(cnc.toDriver());
    }

    @AfterContainer
    static void serveAndClose() {
        try (Bus bus = Drivers.connect(driver)) {
            bus.addPublication("verbus:ipc", 1).close();
            assertTrue(Drivers.counter(bus, SystemCounter.COMMANDS_MALFORMED) > 0);
        }
        List<String> unexpected =
                Drivers.errors(driver).stream()
                        .filter(
                                error ->
                                        !error.contains("command is malformed")
                                                && !error.contains("of the unknown type"))
                        .toList();
        assertEquals(List.of(), unexpected);
        cnc.close();
        driver.close();
    }

    private static void send(int typeId, byte[] message, int length) {
        UnsafeBuffer buffer = new UnsafeBuffer(message);
        Await.until("written", () -> commands.write(typeId, buffer, 0, length));
        Await.until("read", () -> commands.consumerPosition() == commands.producerPosition());
    }

    @Property(tries = 500)
    void survivesCommandsOfRandomTypesWithRandomBytes(
            @ForAll @IntRange(min = 1) int typeId, @ForAll @Size(max = 200) byte[] message) {
        send(typeId, message, message.length);
    }

    @Property(tries = 2000)
    void survivesCommandsOfKnownTypesWithRandomBytes(
            @ForAll @IntRange(min = 1, max = 0x12) int typeId,
            @ForAll @Size(max = 120) byte[] message,
            @ForAll @IntRange(min = -1, max = 100) int text) {
        if (message.length >= 40) { // lengths of texts that fit, or nearly
            UnsafeBuffer buffer = new UnsafeBuffer(message);
            buffer.putInt(20, text);
            buffer.putInt(24, text);
            buffer.putInt(28, text);
        }
        send(typeId, message, message.length);
    }

    @Property(tries = 200)
    void answersOrIgnoresCommandWithRandomText(
            @ForAll @Size(max = 80) byte[] text,
            @ForAll @IntRange(max = 120) int cut,
            @ForAll @IntRange(max = 2) int kind) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        int length;
        int typeId;
        switch (kind) {
            case 0 -> {
                AddPublicationEncoder add = new AddPublicationEncoder();
                add.wrap(buffer, 0)
                        .clientId(-1)
                        .correlationId(commands.nextCorrelationId())
                        .streamId(1)
                        .putChannel(text, 0, text.length);
                typeId = AddPublicationEncoder.TEMPLATE_ID;
                length = add.encodedLength();
            }
            case 1 -> {
                AddSubscriptionEncoder add = new AddSubscriptionEncoder();
                add.wrap(buffer, 0)
                        .clientId(-1)
                        .correlationId(commands.nextCorrelationId())
                        .registrationCorrelationId(-1)
                        .streamId(1)
                        .putChannel(text, 0, text.length);
                typeId = AddSubscriptionEncoder.TEMPLATE_ID;
                length = add.encodedLength();
            }
            default -> {
                RejectImageEncoder reject = new RejectImageEncoder();
                reject.wrap(buffer, 0)
                        .clientId(-1)
                        .correlationId(commands.nextCorrelationId())
                        .imageId(1L << 40)
                        .position(7)
                        .putReason(text, 0, text.length);
                typeId = RejectImageEncoder.TEMPLATE_ID;
                length = reject.encodedLength();
            }
        }
        send(typeId, buffer.byteArray(), Math.min(length, cut + 20));
    }
}
