// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.PublicationErrorHandler;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.MediaDriver;

import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * Streams between two hosts with several names and addresses, which change.
 *
 * <pre>
 *   host a                              host b
 *     one  10.1.0.1/24, fd01::1/64  ───  one  10.1.0.2/24, fd01::2/64
 *     two  10.2.0.1/24              ───  two  10.2.0.2/24
 * </pre>
 */
@Timeout(180)
class MovingAddressesTest {
    private static final int STREAM = 10;

    /** A driver on a host, and the test's bus on it. */
    private static final class Driver implements AutoCloseable {
        final ChildProcess process;
        final Path directory = Path.of("/dev/shm/verbus-moving-" + UUID.randomUUID());
        final Bus bus;

        Driver(List<String> host, String... options) {
            List<String> arguments = new ArrayList<>(Arrays.asList(options));
            arguments.add("dir=" + directory);
            arguments.add("threading=shared");
            arguments.add("term-length=64k");
            arguments.add("client-liveness-timeout=60s");
            arguments.add("udp.image-timeout=60s"); // longer than any move takes
            process = ChildProcess.start(host, MediaDriver.class, arguments.toArray(String[]::new));
            process.awaitLine("verbus driver ready");
            bus =
                    Bus.connect(
                            new BusContext()
                                    .directoryName(directory.toString())
                                    .driverTimeout(Duration.ofMinutes(1)));
        }

        /** First lines of the entries in the error log. */
        List<String> errors() {
            List<String> errors = new ArrayList<>();
            try (CncFile cnc = CncFile.map(directory.resolve(CncFile.NAME))) {
                ErrorLogReader.read(
                        cnc.errorLog(),
                        (count, first, last, text) ->
                                errors.add(
                                        count + " times " + text.lines().findFirst().orElse("")));
            }
            return errors;
        }

        /** Labels of the local addresses in use. */
        List<String> localAddresses() {
            List<String> found = new ArrayList<>();
            bus.counters()
                    .forEach(
                            (id, type, key, label) -> {
                                if (type == CounterTypes.LOCAL_ADDRESS) {
                                    found.add(label);
                                }
                            });
            return found;
        }

        @Override
        public void close() {
            bus.close();
            process.terminate();
        }
    }

    @TempDir private Path folder;
    private VirtualHosts hosts;
    private Driver a;
    private Driver b;

    @BeforeEach
    void make() {
        try {
            hosts = VirtualHosts.make(folder, "a", "b");
        } catch (IOException e) {
            Assumptions.abort(e.getMessage());
        }
        for (int i = 1; i <= 2; i++) {
            String device = i == 1 ? "one" : "two";
            hosts.connect("a", device, "b", device);
            hosts.ip("a", "addr add 10." + i + ".0.1/24 dev " + device);
            hosts.ip("b", "addr add 10." + i + ".0.2/24 dev " + device);
        }
        hosts.ip("a", "addr add fd01::1/64 dev one nodad");
        hosts.ip("b", "addr add fd01::2/64 dev one nodad");
    }

    private void launch(String... options) {
        a = new Driver(hosts.command("a"), options);
        b = new Driver(hosts.command("b"), options);
    }

    @AfterEach
    void close() {
        CloseHelper.closeAll(a, b, hosts);
    }

    private static void deliver(Publication publication, Subscription subscription, long number) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        message.putLong(0, number);
        Await.done("offered " + number, () -> publication.offer(message) > 0);
        long[] received = {-1};
        Await.done(
                "received " + number,
                () -> {
                    subscription.poll(
                            (buffer, at, length, header) -> received[0] = buffer.getLong(at), 1);
                    return received[0] == number;
                });
    }

    private static void assertNoErrors(Driver driver) {
        assertEquals(List.of(), driver.errors());
    }

    // Names that resolve to another address later

    @Test
    void addsAndRemovesDestinationsAfterControlNameChanges() {
        hosts.ip("a", "addr add 10.1.0.9/24 dev one");
        hosts.name("me", "10.1.0.1");
        launch();
        String destination = "aeron:udp?endpoint=10.1.0.2:4000";
        try (Publication publication =
                        a.bus.addPublication("aeron:udp?control-mode=manual|control=me:0", STREAM);
                Subscription subscription = b.bus.addSubscription(destination, STREAM)) {
            hosts.name("me", "10.1.0.9");
            // This looks the name up again.
            a.bus.addPublication("aeron:udp?control-mode=manual|control=me:0", STREAM + 1).close();
            publication.addDestination(destination);
            Await.until("connected", publication::isConnected);
            deliver(publication, subscription, 1);
            publication.removeDestination(destination);
            Await.until("gone", () -> !publication.isConnected());
        }
        assertNoErrors(a);
    }

    @ParameterizedTest
    @CsvSource({"10.1.0.2, 10.1.0.1", "them, 10.1.0.1", "10.1.0.2, it", "them, it"})
    void sharesEndpointOfSameChannelAfterNameChanges(String endpoint, String control) {
        hosts.ip("a", "addr add 10.1.0.98/24 dev one");
        hosts.name("them", "10.1.0.2");
        hosts.name("it", "10.1.0.1");
        launch();
        String channel = "aeron:udp?endpoint=" + endpoint + ":4000|control=" + control + ":4001";
        try (Subscription first = b.bus.addSubscription(channel, STREAM)) {
            assertFalse(first.isConnected());
            hosts.name("them", "10.1.0.99");
            hosts.name("it", "10.1.0.98");
            // No peer was heard at the old control address, so the driver follows the name.
            String asked = control.equals("it") ? "10.1.0.98" : "10.1.0.1";
            try (Subscription second = b.bus.addSubscription(channel, STREAM + 1);
                    Publication publication =
                            a.bus.addPublication(
                                    "aeron:udp?control-mode=dynamic|control=" + asked + ":4001",
                                    STREAM + 1)) {
                Await.until("connected", second::isConnected);
                deliver(publication, second, 1);
                assertEquals(1, b.localAddresses().size(), b.localAddresses().toString());
            }
        }
        assertNoErrors(b);
    }

    @Test
    void sharesSocketOfSameChannelAfterNameChanges() {
        hosts.name("me", "10.1.0.1");
        hosts.name("them", "10.1.0.2");
        launch();
        String channel = "aeron:udp?endpoint=them:4000|control=me:4001";
        try (Publication first = a.bus.addPublication(channel, STREAM);
                Subscription subscription =
                        b.bus.addSubscription("aeron:udp?endpoint=10.1.0.2:4000", STREAM)) {
            Await.until("connected", first::isConnected);
            hosts.name("me", "10.1.0.98");
            hosts.name("them", "10.1.0.99");
            try (Publication second = a.bus.addExclusivePublication(channel, STREAM)) {
                Await.until("connected", second::isConnected);
                deliver(second, subscription, 2);
            }
        }
        assertNoErrors(a);
    }

    // Addresses that change

    @Test
    void reachesReceiverWhoseNameChangesToAnotherNetwork() {
        hosts.name("them", "10.1.0.2");
        launch();
        try (Publication publication =
                        a.bus.addPublication("aeron:udp?endpoint=them:4000", STREAM);
                Subscription subscription =
                        b.bus.addSubscription("aeron:udp?endpoint=0.0.0.0:4000", STREAM)) {
            Await.until("connected", publication::isConnected);
            deliver(publication, subscription, 1);
            hosts.name("them", "10.2.0.2");
            hosts.ip("a", "link set one down");
            deliver(publication, subscription, 2);
            awaitLocalAddress("10.2.0.1");
        }
    }

    /** The JVM would cache the address for half a minute. */
    @Test
    void resolvesNameForEachNewPublication() {
        hosts.name("them", "10.1.0.2");
        launch();
        for (int i = 1; i <= 2; i++) {
            hosts.name("them", "10." + i + ".0.2");
            try (Publication publication =
                    a.bus.addPublication("aeron:udp?linger=0|endpoint=them:4000", STREAM)) {
                assertFalse(publication.isConnected());
                awaitLocalAddress("10." + i + ".0.1");
            }
            Await.until("closed", () -> a.localAddresses().isEmpty());
        }
    }

    private void awaitLocalAddress(String address) {
        Await.until(
                () -> "the only local address is " + address + ": " + a.localAddresses(),
                20,
                () ->
                        a.localAddresses().size() == 1
                                && a.localAddresses().getFirst().contains(" " + address + ":"));
    }

    /** The publication stays connected: the timeout is longer than the move takes. */
    @Test
    void sendsFromNewAddressOfThisHost() {
        launch("udp.connection-timeout=40s");
        String channel = "aeron:udp?endpoint=10.1.0.2:4000";
        try (Publication publication = a.bus.addPublication(channel, STREAM);
                Subscription subscription = b.bus.addSubscription(channel, STREAM)) {
            Await.until("connected", publication::isConnected);
            deliver(publication, subscription, 1);
            hosts.ip("a", "addr del 10.1.0.1/24 dev one");
            hosts.ip("a", "addr add 10.1.0.7/24 dev one");
            deliver(publication, subscription, 2);
            assertEquals(1, subscription.imageCount(), "the image goes on");
            try (Publication other = a.bus.addPublication(channel, STREAM + 1);
                    Subscription same = b.bus.addSubscription(channel, STREAM + 1)) {
                deliver(other, same, 3);
            }
            awaitLocalAddress("10.1.0.7");
            List<String> moves =
                    a.errors().stream().filter(each -> each.contains("10.1.0.7")).toList();
            assertEquals(1, moves.size(), a.errors().toString());
            assertTrue(moves.getFirst().startsWith("1 times"), moves.toString());
            awaitError(a, channel, "now sent from 10.1.0.7");
        }
    }

    @Test
    void sendsFromNewAddressOfNamedInterface() {
        launch("udp.connection-timeout=40s");
        String receiver = "aeron:udp?endpoint=10.1.0.2:4000";
        try (Publication publication = a.bus.addPublication(receiver + "|interface={one}", STREAM);
                Subscription subscription = b.bus.addSubscription(receiver, STREAM)) {
            Await.until("connected", publication::isConnected);
            deliver(publication, subscription, 1);
            hosts.ip("a", "addr del 10.1.0.1/24 dev one");
            hosts.ip("a", "addr add 10.1.0.7/24 dev one");
            deliver(publication, subscription, 2);
            assertEquals(1, subscription.imageCount(), "the image goes on");
            awaitLocalAddress("10.1.0.7");
        }
    }

    @Test
    void receivesAtNewAddressOfThisHost() {
        hosts.name("them", "10.1.0.2");
        launch();
        String channel = "aeron:udp?endpoint=them:4000";
        try (Publication publication = a.bus.addPublication(channel, STREAM);
                Subscription subscription = b.bus.addSubscription(channel, STREAM)) {
            Await.until("connected", publication::isConnected);
            deliver(publication, subscription, 1);
            hosts.name("them", "10.1.0.7");
            hosts.ip("b", "addr del 10.1.0.2/24 dev one");
            hosts.ip("b", "addr add 10.1.0.7/24 dev one");
            deliver(publication, subscription, 2);
            assertTrue(
                    b.localAddresses().getFirst().contains(" 10.1.0.7:4000"),
                    b.localAddresses().toString());
            awaitError(b, channel, "now receive at 10.1.0.7:4000");
        }
    }

    /** Another channel has looked up the name in the meantime. */
    @Test
    void identifiesRejectingDestinationAfterNameChanges() {
        hosts.name("them", "10.1.0.2");
        launch();
        List<Long> told = Collections.synchronizedList(new ArrayList<>());
        try (Bus bus =
                        Bus.connect(
                                new BusContext()
                                        .directoryName(a.directory.toString())
                                        .publicationErrorHandler(new Rejections(told)));
                Publication publication =
                        bus.addPublication("aeron:udp?control-mode=manual", STREAM);
                Subscription subscription =
                        b.bus.addSubscription("aeron:udp?endpoint=10.1.0.2:4000", STREAM)) {
            long id = publication.asyncAddDestination("aeron:udp?endpoint=them:4000");
            Await.until("connected", publication::isConnected);
            hosts.name("them", "10.1.0.99");
            a.bus.addPublication("aeron:udp?endpoint=them:4001", STREAM).close();
            Await.until("an image", () -> subscription.imageCount() == 1);
            subscription.imageAtIndex(0).reject("it is too much");
            Await.until("told", () -> !told.isEmpty());
            assertEquals(List.of(id), told);
        }
    }

    private record Rejections(List<Long> destinations) implements PublicationErrorHandler {
        @Override
        public void onPublicationError(Publication publication, ErrorCode code, String message) {}

        @Override
        public void onPublicationError(
                Publication publication, ErrorCode code, String message, Receiver receiver) {
            destinations.add(receiver.destinationId());
        }
    }

    // Errors about resources that were added long before

    /** Waits for an error that contains a text, and names a channel as it was written. */
    private static void awaitError(Driver driver, String channel, String text) {
        Await.until(
                () -> "of " + channel + ": " + text + " in " + driver.errors(),
                30,
                () ->
                        driver.errors().stream()
                                .anyMatch(
                                        each ->
                                                each.contains("'" + channel + "'")
                                                        && each.contains(text)));
    }

    @Test
    void namesChannelsWhoseNewAddressIsUnreachable() {
        for (String name : List.of("gone", "other", "far", "bound", "added")) {
            hosts.name(name, "10.1.0.99");
        }
        launch("udp.connection-timeout=1s");
        String gone = "aeron:udp?endpoint=gone:4000";
        String other = "aeron:udp?endpoint=other:4001";
        String far = "aeron:udp?endpoint=far:4002";
        String bound = "aeron:udp?endpoint=bound:4003|interface=10.1.0.1";
        String added = "aeron:udp?endpoint=added:4004";
        a.bus.addPublication(gone, STREAM);
        a.bus.addPublication(other, STREAM);
        a.bus.addPublication(far, STREAM);
        a.bus.addPublication(bound, STREAM);
        a.bus.addPublication("aeron:udp?control-mode=manual", STREAM).addDestination(added);
        hosts.name("gone");
        hosts.name("other", "fd01::9");
        hosts.name("far", "10.99.0.1");
        hosts.name("bound", "10.99.0.1");
        hosts.name("added");
        awaitError(a, gone, "can no longer be resolved");
        awaitError(a, added, "can no longer be resolved");
        awaitError(a, other, "of the other IP version");
        awaitError(a, far, "10.99.0.1");
        awaitError(a, bound, "10.99.0.1");
    }

    @Test
    void namesChannelsWhoseDatagramsKernelRejects() {
        launch();
        String sent = "aeron:udp?endpoint=10.1.0.2:4000";
        String received = "aeron:udp?endpoint=10.1.0.2:4000";
        String many = "aeron:udp?control-mode=manual";
        try (Publication publication = a.bus.addPublication(sent, STREAM);
                Publication others = a.bus.addPublication(many, STREAM + 1);
                Subscription subscription = b.bus.addSubscription(received, STREAM)) {
            others.addDestination("aeron:udp?endpoint=10.1.0.2:4001");
            Await.until("connected", publication::isConnected);
            deliver(publication, subscription, 1);
            hosts.ip("b", "route add prohibit 10.1.0.1/32");
            awaitError(b, received, "the kernel refuses to send status messages");
            hosts.ip("a", "route add prohibit 10.1.0.2/32");
            awaitError(a, sent, "the kernel refuses to send datagrams to 10.1.0.2:4000");
            awaitError(a, many, "the kernel refuses to send datagrams to 10.1.0.2:4001");
        }
    }

    @Test
    void namesChannelIfKernelCannotSegmentDatagrams() {
        launch();
        String channel = "aeron:udp?endpoint=10.1.0.2:4000";
        b.bus.addSubscription(channel, STREAM);
        try (Publication publication = a.bus.addPublication(channel, STREAM)) {
            Await.until("connected", publication::isConnected);
            hosts.ip("a", "link set one mtu 1280"); // shorter than a datagram
            UnsafeBuffer message = new UnsafeBuffer(new byte[8000]);
            Await.done("offered", () -> publication.offer(message) > 0);
            awaitError(a, channel, "the kernel cannot segment coalesced datagrams");
        }
    }

    @Test
    void namesChannelsWhoseLocalAddressIsUnavailable() {
        hosts.name("me", "10.1.0.1");
        hosts.name("them", "10.1.0.2");
        launch();
        String control = "aeron:udp?control=me:4001|control-mode=dynamic";
        String endpoint = "aeron:udp?endpoint=them:4000";
        a.bus.addPublication(control, STREAM);
        b.bus.addSubscription(endpoint, STREAM);
        hosts.name("me", "10.1.0.77");
        hosts.name("them", "10.1.0.78");
        hosts.ip("a", "addr add 10.1.0.7/24 dev one"); // which makes the driver check all addresses
        hosts.ip("b", "addr del 10.1.0.2/24 dev one");
        awaitError(a, control, "cannot bind a UDP socket to 10.1.0.77:4001");
        awaitError(b, endpoint, "cannot bind a UDP socket to 10.1.0.78:4000");
    }

    // Several interfaces, several addresses

    /** Feeds A and B use the same group on two interfaces, which may have the same address. */
    @ParameterizedTest
    @CsvSource({"10.1.0.2, 10.2.0.2", "{one}, {two}", "10.1.0.0/24, 10.2.0.0/24", "same, same"})
    void receivesMulticastOnlyFromJoinedInterface(String first, String second) {
        boolean haveOneAddress = first.equals("same");
        if (haveOneAddress) {
            for (String device : new String[] {"one", "two"}) {
                hosts.ip("b", "addr flush dev " + device);
                hosts.ip("b", "addr add 10.9.0.2/32 dev " + device);
            }
            hosts.ip("b", "route add 10.1.0.0/24 dev one");
            hosts.ip("b", "route add 10.2.0.0/24 dev two");
            hosts.ip("a", "route add 10.9.0.2/32 dev one");
        }
        launch();
        String group = "aeron:udp?endpoint=239.1.1.1:4000|interface=";
        try (Publication feedA = a.bus.addPublication(group + "{one}", STREAM);
                Publication feedB = a.bus.addPublication(group + "{two}", STREAM);
                Subscription subscriptionA =
                        b.bus.addSubscription(group + (haveOneAddress ? "{one}" : first), STREAM);
                Subscription subscriptionB =
                        b.bus.addSubscription(
                                group + (haveOneAddress ? "{two}" : second), STREAM)) {
            Await.until("A is connected", feedA::isConnected);
            Await.until("B is connected", feedB::isConnected);
            for (int i = 0; i < 10; i++) {
                deliver(feedA, subscriptionA, 2 * i);
                deliver(feedB, subscriptionB, 2 * i + 1);
            }
            assertEquals(List.of(feedA.sessionId()), sessions(subscriptionA), "A's alone");
            assertEquals(List.of(feedB.sessionId()), sessions(subscriptionB), "B's alone");
        }
    }

    private static List<Integer> sessions(Subscription subscription) {
        List<Integer> sessions = new ArrayList<>();
        subscription.forEachImage(image -> sessions.add(image.sessionId()));
        return sessions;
    }

    @Test
    void followsMulticastRouteToAnotherInterface() {
        hosts.ip("a", "route add 224.0.0.0/4 dev one");
        hosts.ip("b", "route add 224.0.0.0/4 dev one");
        launch();
        String group = "aeron:udp?endpoint=239.1.1.1:4000";
        try (Publication publication = a.bus.addPublication(group, STREAM);
                Subscription subscription = b.bus.addSubscription(group, STREAM)) {
            Await.until("connected", publication::isConnected);
            deliver(publication, subscription, 1);
            for (String host : List.of("a", "b")) {
                hosts.ip(host, "route del 224.0.0.0/4 dev one");
                hosts.ip(host, "route add 224.0.0.0/4 dev two");
            }
            hosts.ip("a", "link set one down");
            deliver(publication, subscription, 2);
            awaitError(a, group, "now use another interface");
            awaitError(b, group, "now receive on another interface");
        }
    }

    @Test
    void followsRecreatedInterface() {
        launch();
        String group = "aeron:udp?endpoint=239.1.1.1:4000|interface={two}";
        try (Publication publication = a.bus.addPublication(group, STREAM);
                Subscription subscription = b.bus.addSubscription(group, STREAM)) {
            Await.until("connected", publication::isConnected);
            deliver(publication, subscription, 1);
            hosts.ip("a", "link del two");
            hosts.connect("a", "two", "b", "two");
            hosts.ip("a", "addr add 10.2.0.1/24 dev two");
            hosts.ip("b", "addr add 10.2.0.2/24 dev two");
            deliver(publication, subscription, 2);
        }
    }

    /** If there are several addresses, answers leave from the contacted one. */
    @ParameterizedTest
    @CsvSource({"0.0.0.0, 10.1.0.22", "[::], [fd01::22]", "[::], 10.1.0.22"})
    void repliesFromAddressThatWasContacted(String wildcard, String asked) {
        hosts.ip("b", "addr add 10.1.0.22/24 dev one");
        hosts.ip("b", "addr add fd01::22/64 dev one nodad preferred_lft 0");
        launch();
        try (Subscription subscription =
                        b.bus.addSubscription(
                                "aeron:udp?cc=cubic|endpoint=" + wildcard + ":4000", STREAM);
                Publication publication =
                        a.bus.addPublication("aeron:udp?endpoint=" + asked + ":4000", STREAM)) {
            Await.until("connected", publication::isConnected);
            for (int i = 0; i < 100; i++) {
                deliver(publication, subscription, i);
            }
        }
        assertNoErrors(a);
        assertNoErrors(b);
    }
}
