// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.BusException;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.util.List;
import java.util.stream.Collectors;

class ChannelUriPropertyTest {
    @Property(tries = 2000)
    void parsesFormattedChannels(@ForAll("channels") ChannelUri channel) {
        ChannelUri read = ChannelUri.parse(channel.toString());
        assertEquals(channel, read);
        assertEquals(channel.toString(), read.toString());
        assertEquals(channel.termLength(), read.termLength());
        assertEquals(channel.mtu(), read.mtu());
        assertEquals(channel.sessionId(), read.sessionId());
        assertEquals(channel.window(), read.window());
        assertEquals(channel.alias(), read.alias());
        assertEquals(channel.interfaceAddress(), read.interfaceAddress());
    }

    @Property(tries = 2000)
    void parsesFormattedFlowControlInterfaceAndLossRecoverySettings(@ForAll("ofUdp") String keys) {
        for (String scheme : new String[] {"verbus", "aeron"}) {
            ChannelUri channel = ChannelUri.parse(scheme + ":udp?endpoint=h:1" + keys);
            ChannelUri read = ChannelUri.parse(channel.toString());
            assertEquals(channel, read);
            assertEquals(channel.flow(), read.flow());
            assertEquals(channel.localInterface(), read.localInterface());
            assertEquals(channel.datagrams(), read.datagrams());
            assertEquals(channel.publicationWindow(), read.publicationWindow());
        }
    }

    @Provide
    Arbitrary<String> ofUdp() {
        Arbitrary<String> sizes = Arbitraries.of("", "/0", "/1", "/64");
        Arbitrary<String> tags =
                Combinators.combine(Arbitraries.longs(), sizes)
                        .as((tag, size) -> "tagged,g:" + tag + size);
        Arbitrary<String> flows =
                Arbitraries.oneOf(tags, Arbitraries.of("min", "tagged", "min,g:/7", "tagged,g:/2"));
        Arbitrary<String> timeouts =
                Arbitraries.longs()
                        .between(1_000_000, 60_000_000_000L)
                        .map(ns -> ",t:" + ns + "ns")
                        .injectNull(0.5)
                        .map(text -> text == null ? "" : text);
        Arbitrary<String> hosts =
                Arbitraries.of("10.0.0.9", "[fe80::2]", "{eth0}", "localhost", "ib0.example");
        Arbitrary<String> ports = Arbitraries.integers().between(0, 65535).map(port -> ":" + port);
        Arbitrary<Integer> bytes = Arbitraries.integers().between(1024, 1 << 30);
        return Combinators.combine(
                        flows,
                        timeouts,
                        hosts,
                        ports,
                        bytes,
                        bytes,
                        Arbitraries.longs().between(0, 60_000_000_000L),
                        Arbitraries.integers().between(1, 256))
                .as(
                        (flow, timeout, host, at, send, receive, delay, resend) ->
                                "|fc=%s%s|interface=%s%s|so-sndbuf=%d|so-rcvbuf=%d|nak-delay=%dns"
                                                .formatted(
                                                        flow, timeout, host, at, send, receive,
                                                        delay)
                                        + "|max-resend="
                                        + resend
                                        + "|pub-wnd="
                                        + send);
    }

    @Property(tries = 3000)
    void throwsOnlyBusExceptions(@ForAll String text) {
        parse(text);
        parse("verbus:" + text);
        parse("verbus:rdma?endpoint=" + text);
        parse("verbus:ipc?" + text);
        parse("verbus:udp?endpoint=h:1|fc=" + text);
        parse("aeron:udp?endpoint=h:1|interface=" + text);
    }

    @Property(tries = 3000)
    void throwsOnlyBusExceptionsForNearlyValidChannels(@ForAll("almost") String text) {
        parse(text);
    }

    private static void parse(String text) {
        ChannelUri channel;
        try {
            channel = ChannelUri.parse(text);
        } catch (BusException refused) {
            return;
        }
        assertEquals(channel, ChannelUri.parse(channel.toString()));
    }

    @Provide
    Arbitrary<ChannelUri> channels() {
        Arbitrary<String> hosts =
                Arbitraries.of("10.0.0.1", "[::1]", "[fe80::1%eth0]", "host", "a.b-c.example");
        Arbitrary<Integer> ports = Arbitraries.integers().between(0, 65535);
        Arbitrary<Integer> termBits = Arbitraries.integers().between(16, 30);
        Arbitrary<Integer> mtus = Arbitraries.integers().between(2, 256).map(n -> n * 32);
        Arbitrary<Integer> windows = Arbitraries.integers().between(4096, 128 * 1024);
        Arbitrary<String> aliases =
                Arbitraries.strings()
                        .withCharRange(' ', '~')
                        .excludeChars('|')
                        .ofMinLength(1)
                        .ofMaxLength(100);
        return Combinators.combine(
                        hosts,
                        ports,
                        termBits.injectNull(0.3),
                        mtus.injectNull(0.3),
                        windows.injectNull(0.5),
                        Arbitraries.integers().injectNull(0.5),
                        aliases.injectNull(0.5),
                        Arbitraries.of("10.0.0.9", "fe80::2", "ib0.example").injectNull(0.5))
                .as(ChannelUriPropertyTest::channel);
    }

    private static ChannelUri channel(
            String host,
            int port,
            Integer termBits,
            Integer mtu,
            Integer window,
            Integer sessionId,
            String alias,
            String interfaceAddress) {
        ChannelUriBuilder builder = ChannelUri.rdma(host + ":" + port);
        if (termBits != null) {
            builder.termLength(1 << termBits);
        }
        if (mtu != null) {
            builder.mtu(mtu);
        }
        if (window != null) {
            builder.window(window);
        }
        if (sessionId != null) {
            builder.sessionId(sessionId);
        }
        if (alias != null) {
            builder.alias(alias);
        }
        if (interfaceAddress != null) {
            builder.interfaceAddress(interfaceAddress);
        }
        return builder.build();
    }

    @Provide
    Arbitrary<String> almost() {
        Arbitrary<String> tokens =
                Arbitraries.of(
                        "verbus:",
                        "verbus-spy:",
                        "control",
                        "control-mode",
                        "manual",
                        "dynamic",
                        "ssc",
                        "fc",
                        "udp",
                        "ipc",
                        "rdma",
                        "?",
                        "|",
                        "=",
                        "endpoint",
                        "mtu",
                        "term-length",
                        "session-id",
                        "alias",
                        "interface",
                        "window",
                        "rcv-wnd",
                        "so-sndbuf",
                        "nak-delay",
                        "tagged,g:",
                        ",t:",
                        "/",
                        "{",
                        "}",
                        "host",
                        ":",
                        "1",
                        "64k",
                        "-",
                        "[",
                        "]",
                        "::1",
                        "%",
                        ".",
                        "9999999999",
                        "g",
                        "\u0661",
                        " ");
        Arbitrary<List<String>> lists = tokens.list().ofMaxSize(20);
        return lists.map(list -> list.stream().collect(Collectors.joining()))
                .flatMap(text -> Arbitraries.of(text, "verbus:rdma?" + text));
    }
}
