// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeron.exceptions.RegistrationException;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.tools.ToolRun;
import io.verbus.driver.tools.Verbus;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The driver program with the features that Aeron's system tests require of an external driver. */
@Timeout(120)
class AeronTestDriverTest {
    private static final int STREAM = 10;
    private static final int MESSAGES = 2_000;
    private static final int NAME_COUNTER = 2001;

    private final Path directory = DriverDirectory.uniquePath();
    private ChildProcess driver;
    private Aeron aeron;
    private long naksSent;
    private long naksReceived;

    private void launch(String... variables) {
        List<String> command = new ArrayList<>(List.of("env", "AERON_DIR=" + directory));
        command.addAll(List.of(variables));
        driver =
                ChildProcess.start(
                        command,
                        System.getProperty("java.class.path")
                                + File.pathSeparator
                                + Path.of("src/test/aeronmd").toAbsolutePath(),
                        Verbus.class,
                        "driver",
                        "--threading=shared",
                        "--udp.gro=false");
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(directory.toString())
                                .driverTimeoutMs(30_000));
    }

    @AfterEach
    void close() {
        aeron.close();
        driver.terminate();
        driver.close();
    }

    private static String channel(String host, int port) {
        return "aeron:udp?endpoint=" + host + ":" + port + "|term-length=64k|mtu=1408";
    }

    /** Sends messages until all have arrived in order. */
    private void exchange() throws IOException {
        String channel = channel("127.0.0.1", UdpInteropTest.freePort());
        UnsafeBuffer message = new UnsafeBuffer(new byte[500]);
        try (Subscription subscription = aeron.addSubscription(channel, STREAM);
                Publication publication =
                        aeron.addExclusivePublication(
                                channel + "|init-term-id=0|term-id=0|term-offset=0", STREAM)) {
            long[] counts = {0, 0};
            Await.done(
                    "all messages",
                    () -> {
                        message.putLong(0, counts[0]);
                        if (counts[0] < MESSAGES && publication.offer(message) > 0) {
                            counts[0]++;
                        }
                        subscription.poll(
                                (buffer, offset, length, header) ->
                                        assertEquals(counts[1]++, buffer.getLong(offset)),
                                10);
                        return counts[1] == MESSAGES;
                    });
            naksSent =
                    counter(
                            AeronCounters.DRIVER_RECEIVER_NAKS_SENT_TYPE_ID,
                            subscription.imageAtIndex(0).correlationId());
            naksReceived =
                    counter(
                            AeronCounters.DRIVER_SENDER_NAKS_RECEIVED_TYPE_ID,
                            publication.registrationId());
        }
    }

    private long counter(int type, long registrationId) {
        CountersReader counters = aeron.countersReader();
        return counters.getCounterValue(
                counters.findByTypeIdAndRegistrationId(type, registrationId));
    }

    private long counter(SystemCounterDescriptor counter) {
        return aeron.countersReader().getCounterValue(counter.id());
    }

    @Test
    void recoversFromLossOfRange() throws IOException {
        launch(
                "AERON_UDP_CHANNEL_INCOMING_INTERCEPTORS=fixed-loss",
                "AERON_UDP_CHANNEL_TRANSPORT_BINDINGS_FIXED_LOSS_ARGS="
                        + "term-id=1|term-offset=100|length=10000");
        exchange();
        assertTrue(naksReceived > 0, "NAKs");
        assertEquals(counter(SystemCounterDescriptor.NAK_MESSAGES_SENT), naksSent);
        assertEquals(counter(SystemCounterDescriptor.NAK_MESSAGES_RECEIVED), naksReceived);
        // One NAK for the range, unless the receiver repeats it while the machine is busy.
        assertTrue(counter(SystemCounterDescriptor.RETRANSMITS_SENT) <= naksReceived);
        assertTrue(counter(SystemCounterDescriptor.RETRANSMITTED_BYTES) >= 10_000);
        assertTrue(counter(SystemCounterDescriptor.RETRANSMITTED_BYTES) < 100_000);
    }

    @Test
    void recoversFromFrameLossOnBothSides() throws IOException {
        launch(
                "AERON_UDP_CHANNEL_INCOMING_INTERCEPTORS=loss",
                "AERON_UDP_CHANNEL_TRANSPORT_BINDINGS_LOSS_ARGS="
                        + "rate=0.1|seed=3|recv-msg-mask=0xf");
        exchange();
        long sent = counter(SystemCounterDescriptor.NAK_MESSAGES_SENT);
        assertTrue(sent > 10, "NAKs: " + sent);
        long received = counter(SystemCounterDescriptor.NAK_MESSAGES_RECEIVED);
        assertTrue(received < sent, "NAKs sent: " + sent + ", received: " + received);
    }

    private void lead(String name, long choice) {
        CountersReader counters = aeron.countersReader();
        int[] found = {CountersReader.NULL_COUNTER_ID};
        counters.forEach(
                (id, type, key, label) -> {
                    if (type == NAME_COUNTER && key.getStringAscii(0).equals(name)) {
                        found[0] = id;
                    }
                });
        counters.valuesBuffer().putLongVolatile(CountersReader.counterOffset(found[0]), choice);
    }

    @Test
    void reportsResolvedNameInCounter() throws IOException {
        launch(
                "AERON_NAME_RESOLVER_SUPPLIER=csv_table",
                "AERON_NAME_RESOLVER_INIT_ARGS=nowhere.x,127.0.0.1,127.0.0.1"
                        + "|here.x,127.0.0.2,127.0.0.3");
        for (int choice = 0; choice < 2; choice++) {
            int port = UdpInteropTest.freePort();
            lead("here.x", choice);
            try (Subscription subscription =
                            aeron.addSubscription(
                                    channel("127.0.0." + (2 + choice), port), STREAM);
                    Publication publication =
                            aeron.addPublication(channel("here.x", port), STREAM)) {
                Await.done("connected", () -> subscription.isConnected());
                Await.done("connected", () -> publication.isConnected());
            }
        }
        lead("nowhere.x", -1);
        String refusal =
                assertThrows(
                                RegistrationException.class,
                                () -> aeron.addPublication(channel("nowhere.x", 4040), STREAM))
                        .getMessage();
        assertTrue(refusal.contains("host name 'nowhere.x' cannot be resolved"), refusal);
    }

    private void launchWithNames() {
        launch(
                "AERON_NAME_RESOLVER_SUPPLIER=csv_table",
                "AERON_NAME_RESOLVER_INIT_ARGS=here.x,127.0.0.2,127.0.0.3",
                "VERBUS_UDP_CONNECTION_TIMEOUT=1s");
    }

    private void deliver(Publication publication, Subscription subscription, long number) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        message.putLong(0, number);
        Await.done("offered", () -> publication.offer(message) > 0);
        long[] received = {-1};
        Await.done(
                "received",
                () ->
                        subscription.poll(
                                        (buffer, at, length, header) ->
                                                received[0] = buffer.getLong(at),
                                        1)
                                > 0);
        assertEquals(number, received[0]);
    }

    /** Like a pod that restarts at another address, and then at the old one again. */
    @ParameterizedTest
    @Tag("soak")
    @ValueSource(booleans = {false, true})
    void publicationFollowsNameToNewAddress(boolean isToDestinations) throws IOException {
        launchWithNames();
        int port = UdpInteropTest.freePort();
        lead("here.x", 0);
        String named = "aeron:udp?endpoint=here.x:" + port;
        try (Publication publication =
                aeron.addPublication(
                        isToDestinations ? "aeron:udp?control-mode=manual" : named, STREAM)) {
            if (isToDestinations) {
                publication.addDestination(named);
            }
            for (int i = 0; i < 3; i++) {
                lead("here.x", i % 2);
                try (Subscription subscription =
                        aeron.addSubscription(channel("127.0.0." + (2 + i % 2), port), STREAM)) {
                    Await.done("connected", subscription::isConnected);
                    deliver(publication, subscription, i);
                }
                Await.done("gone", () -> !publication.isConnected());
            }
            assertEquals(2, counter(SystemCounterDescriptor.RESOLUTION_CHANGES));
            lead("here.x", 1);
            try (Subscription subscription =
                            aeron.addSubscription(channel("127.0.0.3", port), STREAM);
                    Publication other =
                            isToDestinations ? null : aeron.addPublication(named, STREAM)) {
                Await.done("connected", subscription::isConnected);
                deliver(publication, subscription, 7);
                if (other != null) {
                    assertEquals(publication.sessionId(), other.sessionId(), "is shared");
                }
            }
        }
    }

    /** The error log names it, so that a misspelt name is noticed. */
    @Test
    void addsDestinationOnceNameResolves() throws IOException {
        launchWithNames();
        int port = UdpInteropTest.freePort();
        String named = "aeron:udp?endpoint=here.x:" + port;
        lead("here.x", -1);
        try (Publication publication =
                        aeron.addPublication("aeron:udp?control-mode=manual", STREAM);
                Subscription subscription =
                        aeron.addSubscription(channel("127.0.0.3", port), STREAM)) {
            publication.addDestination(named);
            String errors = ToolRun.of("errors", "--dir", directory.toString()).out();
            assertTrue(
                    errors.contains(
                            "the host of endpoint=here.x:"
                                    + port
                                    + " cannot be resolved; the driver retries"),
                    errors);
            assertEquals(
                    Publication.NOT_CONNECTED, publication.offer(new UnsafeBuffer(new byte[8])));
            lead("here.x", 1);
            Await.done("connected", subscription::isConnected);
            deliver(publication, subscription, 5);
            assertEquals(1, counter(SystemCounterDescriptor.RESOLUTION_CHANGES));
            assertEquals(1, counter(SystemCounterDescriptor.ERRORS));
            publication.removeDestination(named);
            Await.done("gone", () -> !publication.isConnected());
        }
    }

    /** It contacts the publication, which then knows where to send. */
    @Test
    void acceptsSubscriptionDestinationWithControlOnly() throws IOException {
        launchWithNames();
        int port = UdpInteropTest.freePort();
        lead("here.x", 0);
        String asked = "aeron:udp?control-mode=dynamic|control=here.x:" + port;
        try (Subscription subscription =
                aeron.addSubscription("aeron:udp?control-mode=manual", STREAM)) {
            subscription.addDestination(asked);
            for (int i = 0; i < 2; i++) {
                lead("here.x", i);
                try (Publication publication =
                        aeron.addPublication(
                                "aeron:udp?control-mode=dynamic|linger=0|control=127.0.0."
                                        + (2 + i)
                                        + ":"
                                        + port,
                                STREAM)) {
                    Await.done("connected", publication::isConnected);
                    deliver(publication, subscription, i);
                }
                Await.done("gone", () -> !subscription.isConnected());
            }
            subscription.removeDestination(asked);
        }
    }

    @Test
    void subscriptionFollowsPublicationToNewAddress() throws IOException {
        launchWithNames();
        int port = UdpInteropTest.freePort();
        lead("here.x", 0);
        try (Subscription subscription =
                aeron.addSubscription(
                        "aeron:udp?control-mode=dynamic|control=here.x:" + port, STREAM)) {
            for (int i = 0; i < 3; i++) {
                lead("here.x", i % 2);
                try (Publication publication =
                        aeron.addPublication(
                                "aeron:udp?control-mode=dynamic|linger=0|control=127.0.0."
                                        + (2 + i % 2)
                                        + ":"
                                        + port,
                                STREAM)) {
                    Await.done("connected", publication::isConnected);
                    deliver(publication, subscription, i);
                }
                Await.done("gone", () -> !subscription.isConnected());
            }
        }
    }

    /** One publication added before the name changed, and one after, each of its own stream. */
    @Test
    void publicationFollowsNameToAddressInUse() throws IOException {
        launchWithNames();
        int port = UdpInteropTest.freePort();
        String named = "aeron:udp?endpoint=here.x:" + port;
        lead("here.x", 0);
        try (Publication before = aeron.addPublication(named, STREAM)) {
            lead("here.x", 1);
            try (Publication after = aeron.addPublication(named, STREAM + 1);
                    Subscription first = aeron.addSubscription(channel("127.0.0.3", port), STREAM);
                    Subscription second =
                            aeron.addSubscription(channel("127.0.0.3", port), STREAM + 1)) {
                Await.done("connected", after::isConnected);
                Await.done("connected", before::isConnected);
                deliver(before, first, 1);
                deliver(after, second, 2);
            }
            lead("here.x", 0);
            try (Publication back = aeron.addPublication(named, STREAM + 2);
                    Subscription third =
                            aeron.addSubscription(channel("127.0.0.2", port), STREAM + 2)) {
                deliver(back, third, 3);
            }
        }
    }
}
