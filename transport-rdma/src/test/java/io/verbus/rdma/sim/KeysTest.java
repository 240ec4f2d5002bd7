// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.codecs.rdma.AcceptDecoder;
import io.verbus.codecs.rdma.ProofDecoder;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.SetupDecoder;
import io.verbus.rdma.auth.Challenge;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.Announcement;
import io.verbus.rdma.common.ControlEncoder;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.common.Versions;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.TestStream;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/** Hosts prove to each other that they have the key of their network, or learn nothing. */
class KeysTest {
    private static final int STREAM = 42;
    private static final String ONE = "01".repeat(32);
    private static final String TWO = "02".repeat(32);
    private static final String REFUSED = "connections refused for lack of a valid key";
    private static final InetSocketAddress B = new InetSocketAddress("10.0.0.2", 7400);
    private static final String[] NO_OPTIONS = {};

    @TempDir Path directory;

    /** Templates of the messages that were sent, in their order. */
    private final List<Integer> sent = new ArrayList<>();

    /** The last proof that was sent. */
    private byte[] proof;

    /** Replaces a key file atomically. */
    private String[] keys(String name, String... keys) throws IOException {
        Path written = directory.resolve("new");
        StringBuilder text = new StringBuilder();
        for (String key : keys) {
            text.append("10.0.0.0/8 ").append(key).append('\n');
        }
        Files.writeString(written, text);
        Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rw-------"));
        Path file = directory.resolve(name);
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
        return new String[] {"rdma.key-file", file.toString()};
    }

    private TwoDrivers drivers(String[] optionsOfA, String[] optionsOfB) {
        TwoDrivers net = new TwoDrivers(System.nanoTime(), directory, optionsOfA, optionsOfB);
        net.network.tamper(
                message -> {
                    int template = new UnsafeBuffer(message).getShort(2);
                    sent.add(template);
                    if (template == ProofDecoder.TEMPLATE_ID) {
                        proof = message;
                    }
                    return message;
                });
        return net;
    }

    private static TestStream exchange(TwoDrivers net) {
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        return net.a.publish(TwoDrivers.CHANNEL, STREAM);
    }

    private static void untilCarried(TwoDrivers net) {
        long before = net.b.images.isEmpty() ? 0 : net.b.image().received;
        net.until(
                "carried", () -> !net.b.images.isEmpty() && net.b.image().received > before + 100);
    }

    private static boolean hasAudit(TestDriver driver, String word, String part) {
        return driver.audit.stream().anyMatch(line -> line.startsWith(word) && line.contains(part));
    }

    @Test
    void carriesStreamsOfHostWithKey() throws IOException {
        try (TwoDrivers net = drivers(keys("a", ONE), keys("b", ONE))) {
            TestStream stream = exchange(net);
            untilCarried(net);
            assertEquals(ProofDecoder.TEMPLATE_ID, sent.getFirst());
            net.connection().breakLink("cable");
            untilCarried(net);
            assertEquals(1, net.b.images.size());
            assertEquals(2, sent.stream().filter(each -> each == ProofDecoder.TEMPLATE_ID).count());
            assertTrue(stream.connected);
            assertTrue(hasAudit(net.a, "admitted rdma peer=10.0.0.2:7400", "with the key"));
            assertTrue(hasAudit(net.b, "admitted rdma peer=10.0.0.1:", "with the key"));
            assertEquals(0, net.b.counter(REFUSED));
        }
    }

    @Test
    void requiresNoProofInNetworkWithoutKey() throws IOException {
        Path file = directory.resolve("other");
        Files.writeString(file, "192.168.0.0/16 " + ONE);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        String[] options = {"rdma.key-file", file.toString()};
        try (TwoDrivers net = drivers(options, options)) {
            exchange(net);
            untilCarried(net);
            assertFalse(sent.contains(ProofDecoder.TEMPLATE_ID));
            assertTrue(hasAudit(net.b, "admitted", "without a key"));
        }
    }

    @Test
    void rejectsPublishingHostWithoutKey() throws IOException {
        assertRefused(NO_OPTIONS, keys("b", ONE), "its driver has no key");
    }

    @Test
    void rejectsPublishingHostWithAnotherKey() throws IOException {
        assertRefused(keys("a", TWO), keys("b", ONE), "its key differs");
    }

    @Test
    void rejectsSubscribingHostWithoutKey() throws IOException {
        assertRefused(keys("a", ONE), NO_OPTIONS, "this driver has none");
    }

    private void assertRefused(String[] optionsOfA, String[] optionsOfB, String words) {
        try (TwoDrivers net = drivers(optionsOfA, optionsOfB)) {
            TestStream stream = exchange(net);
            net.until("told", () -> !net.a.failures.isEmpty());
            assertTrue(
                    net.a.failures.getFirst().contains("which lacks the network's key"),
                    net.a.failures.toString());
            assertTrue(net.b.errors.getFirst().contains(words), net.b.errors.toString());
            assertTrue(net.b.counter(REFUSED) > 0);
            assertTrue(hasAudit(net.b, "refused rdma peer=10.0.0.1:", words));
            assertTrue(!stream.connected && net.b.images.isEmpty() && sent.isEmpty());
        }
    }

    /** First both keys on each host, in any order, then only the new one. */
    @Test
    void changesKeysWithoutRestart() throws IOException {
        try (TwoDrivers net = drivers(keys("a", ONE), keys("b", ONE))) {
            exchange(net);
            untilCarried(net);
            keys("b", TWO, ONE);
            reconnect(net);
            keys("a", ONE, TWO);
            reconnect(net);
            keys("a", TWO);
            reconnect(net);
            keys("b", TWO);
            reconnect(net);
            assertEquals(1, net.b.images.size());
            assertTrue(hasAudit(net.a, "keys file=", "networks=1"));
            // A mistake changes nothing, and is reported.
            keys("b", "0102");
            net.until(
                    "told",
                    () ->
                            net.b.errors.stream()
                                    .anyMatch(
                                            error ->
                                                    error.contains(
                                                            "until then the driver uses the"
                                                                    + " previous keys")));
            reconnect(net);
            keys("b", ONE);
            net.forMillis(2_500);
            net.connection().breakLink("cable");
            net.until("refused", () -> net.b.counter(REFUSED) > 0);
        }
    }

    @Test
    void protectsRemovedNetworkUntilItIsOpened() throws IOException {
        Path file = directory.resolve("b");
        try (TwoDrivers net = drivers(NO_OPTIONS, keys("b", ONE))) {
            keys("b");
            awaitError(net, "lists no network, so it may be empty");
            TestStream stream = exchange(net);
            net.until("refused", () -> net.b.counter(REFUSED) > 0);
            Files.writeString(file, "192.168.0.0/16 " + TWO);
            awaitError(net, "no longer lists 10.0.0.0/8");
            assertTrue(hasAudit(net.b, "keys file=", "networks=2 kept=10.0.0.0/8"));
            long refused = net.b.counter(REFUSED);
            net.until("refused again", () -> net.b.counter(REFUSED) > refused);
            assertFalse(stream.connected);
            Files.writeString(file, "192.168.0.0/16 " + TWO + "\n10.0.0.0/8 open");
            untilCarried(net);
        }
    }

    private static void awaitError(TwoDrivers net, String words) {
        net.until("told", () -> net.b.errors.stream().anyMatch(error -> error.contains(words)));
    }

    private static void reconnect(TwoDrivers net) {
        net.forMillis(2_500);
        net.connection().breakLink("cable");
        untilCarried(net);
        assertEquals(0, net.b.counter(REFUSED));
    }

    // A dishonest host

    /** Connects with any private data, and records the answer. */
    private static final class Impostor implements FabricHandler {
        private final SimFabric fabric;
        private SimConnection connection;
        private byte[] answer;
        private boolean hasEnded;
        private byte[] request;

        private Impostor(SimFabric fabric) {
            this.fabric = fabric;
        }

        private Hello connect(TwoDrivers net, byte[] words) {
            answer = null;
            hasEnded = false;
            connection = fabric.connect(B, null, ConnectionOptions.DEFAULT, null, words);
            net.until("answered", () -> poll(net) && answer != null);
            return Hello.read(answer);
        }

        private boolean poll(TwoDrivers net) {
            fabric.poll(this, net.nowNs);
            return true;
        }

        private void say(TwoDrivers net, byte[]... messages) {
            connection.sim().inject(List.of(messages));
            net.until("ended", () -> poll(net) && hasEnded);
        }

        @Override
        public void onConnectRequest(
                Listener listener, Connection incoming, InetSocketAddress from, byte[] data) {
            request = data;
            connection = (SimConnection) incoming;
        }

        @Override
        public void onEstablished(Connection established, byte[] privateData) {
            answer = privateData;
        }

        @Override
        public void onEnded(Connection ended, Cause cause, String reason, byte[] privateData) {
            hasEnded = true;
            answer = privateData;
            ended.close();
        }
    }

    private static byte[] message(ToIntFunction<UnsafeBuffer> writer) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        byte[] message = new byte[writer.applyAsInt(buffer)];
        buffer.getBytes(0, message);
        return message;
    }

    private static byte[] proof(Proof given) {
        return message(
                buffer -> new ControlEncoder(Versions.OURS.highest()).proof(buffer, 0, given));
    }

    private static byte[] setup() {
        Setup offer = new Setup(7, 5, STREAM, 5, 65_536, 1408, 0, 64, 1, 77, false, false, 0);
        return message(
                buffer ->
                        new ControlEncoder(Versions.OURS.highest())
                                .setup(buffer, 0, offer, 0, false));
    }

    /** The key number, which is no secret: each hello contains it. */
    private static Challenge challenge(Hello seen) {
        return new Challenge(seen.challenge().key(), 0, 1234, 5678);
    }

    private Hello helloOfA(TwoDrivers net) {
        List<byte[]> hellos = new ArrayList<>();
        net.network.tamperHellos(
                hello -> {
                    hellos.add(hello);
                    return hello;
                });
        exchange(net);
        untilCarried(net);
        net.network.tamperHellos(UnaryOperator.identity());
        return Hello.read(hellos.getFirst());
    }

    @Test
    void revealsNothingToHostWithoutProof() throws IOException {
        try (TwoDrivers net = drivers(keys("a", ONE), keys("b", ONE))) {
            Hello seen = helloOfA(net);
            byte[] proofOfA = proof;
            Impostor impostor = new Impostor(net.network.fabric("10.0.0.9"));
            byte[] hello = Hello.of(9, RejectCode.UNSPECIFIED, challenge(seen), Proof.NONE, false);
            long accepts = accepts();

            // An offer without a proof, followed by a proof that comes too late.
            impostor.connect(net, hello);
            impostor.say(net, setup());
            impostor.connect(net, hello);
            impostor.say(net, setup(), proofOfA);
            // A wrong proof.
            impostor.connect(net, hello);
            impostor.say(net, proof(new Proof(1, 2, 3, 4)), setup());
            impostor.connect(net, hello);
            impostor.say(net, proof(Proof.NONE), setup());
            // A reflected proof: the one that B itself has sent.
            Hello answer = impostor.connect(net, hello);
            impostor.say(net, proof(answer.proof()), setup());
            // A replayed proof, with the hello that belongs to it.
            impostor.connect(net, seen.bytes());
            impostor.say(net, proofOfA, setup());

            assertEquals(6, net.b.counter(REFUSED));
            assertEquals(accepts, accepts(), "no key of memory was told");
            assertTrue(
                    hasAudit(net.b, "refused rdma peer=10.0.0.9:", "did not prove"),
                    net.b.audit.toString());
            assertEquals(1, net.b.images.size());
            untilCarried(net);
        }
    }

    private long accepts() {
        return sent.stream().filter(each -> each == AcceptDecoder.TEMPLATE_ID).count();
    }

    @Test
    void closesConnectionOfSilentHost() throws IOException {
        try (TwoDrivers net =
                drivers(
                        keys("a", ONE),
                        new String[] {
                            "rdma.key-file", keys("b", ONE)[1], "rdma.half-open-timeout", "50ms"
                        })) {
            Hello seen = helloOfA(net);
            Impostor impostor = new Impostor(net.network.fabric("10.0.0.9"));
            impostor.connect(
                    net, Hello.of(9, RejectCode.UNSPECIFIED, challenge(seen), Proof.NONE, false));
            net.until("given up", () -> impostor.poll(net) && impostor.hasEnded);
            untilCarried(net);
        }
    }

    /** A dishonest subscribing host: no answer, a wrong one, and the publisher's own challenge. */
    @Test
    void offersNoStreamToHostWithoutProof() throws IOException {
        List<UnaryOperator<Hello>> lies =
                List.of(
                        seen -> new Hello(Versions.OURS, RejectCode.UNSPECIFIED, 9),
                        seen ->
                                new Hello(
                                        Versions.OURS,
                                        RejectCode.UNSPECIFIED,
                                        9,
                                        challenge(seen),
                                        new Proof(1, 2, 3, 4),
                                        false),
                        seen ->
                                new Hello(
                                        Versions.OURS,
                                        RejectCode.UNSPECIFIED,
                                        seen.driverId(),
                                        seen.challenge(),
                                        Proof.NONE,
                                        false));
        for (UnaryOperator<Hello> lie : lies) {
            try (TwoDrivers net = drivers(keys("a", ONE), NO_OPTIONS)) {
                Impostor impostor = new Impostor(net.network.fabric("10.0.0.9"));
                impostor.fabric.listen(
                        new InetSocketAddress("10.0.0.9", 7400), ConnectionOptions.DEFAULT);
                TestStream stream =
                        net.a.publish(
                                ChannelUri.rdma("10.0.0.9:7400").termLength(64 * 1024).build(),
                                STREAM);
                net.until("asked", () -> impostor.poll(net) && impostor.request != null);
                Hello seen = Hello.read(impostor.request);
                assertNotNull(seen);
                impostor.connection.accept(lie.apply(seen).bytes());
                net.until("told", () -> impostor.poll(net) && !net.a.failures.isEmpty());
                assertTrue(
                        net.a.failures.getFirst().contains("did not prove"),
                        net.a.failures.toString());
                assertTrue(hasAudit(net.a, "refused rdma peer=10.0.0.9:7400", "did not prove"));
                assertFalse(stream.connected);
                assertFalse(sent.contains(SetupDecoder.TEMPLATE_ID));
                impostor.fabric.close();
            }
        }
    }

    @Test
    void acceptsAnnouncementsOnlyWithKey() throws IOException {
        InetSocketAddress control = new InetSocketAddress("10.0.0.1", 7300);
        try (TwoDrivers net = drivers(keys("a", ONE), keys("b", TWO, ONE))) {
            var channel =
                    ChannelUri.parse(
                            "verbus:rdma?control=10.0.0.1:7300|control-mode=dynamic"
                                    + "|term-length=64k|mtu=1408");
            net.a.publish(channel, STREAM);
            Stranger stranger = new Stranger(net.network.fabric("10.0.0.9"));
            assertEquals(
                    RejectCode.NOT_AUTHENTICATED,
                    stranger.ask(control, Announcement.ofAll(9, 7400), net::until).code());
            assertTrue(hasAudit(net.a, "refused rdma peer=10.0.0.9:", "an announcement"));
            // Its second key is the right one: the receiver tries both.
            net.b.subscribe(
                    ChannelUri.parse("verbus:rdma?endpoint=10.0.0.2:7400|control=10.0.0.1:7300"),
                    STREAM);
            untilCarried(net);
            assertEquals(1, net.a.fabric.connections().size());
        }
    }
}
