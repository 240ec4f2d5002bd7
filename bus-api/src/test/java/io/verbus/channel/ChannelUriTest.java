// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

class ChannelUriTest {
    @Test
    void builderPrintsChannelSoFar() {
        ChannelUriBuilder builder = ChannelUri.udp("10.0.0.2:40123").mtu(1408);
        assertEquals("verbus:udp?endpoint=10.0.0.2:40123|mtu=1408", builder.toString());
        assertEquals(builder.build().toString(), builder.toString());
        assertEquals("verbus:ipc", ChannelUri.ipc().toString());
        ChannelUriBuilder contradictory = ChannelUri.ipc().tether(false).group(true);
        assertThrows(BusException.class, contradictory::build);
        assertTrue(contradictory.toString().contains("group=true"), contradictory.toString());
    }

    @Test
    void returnsDefaultsForUnsetKeys() {
        ChannelUri channel = ChannelUri.parse("verbus:ipc");
        assertEquals("ipc", channel.media());
        assertTrue(channel.isIpc());
        assertEquals(16 * 1024 * 1024, channel.termLength());
        assertEquals(8192, channel.mtu());
        assertEquals(OptionalInt.empty(), channel.sessionId());
        assertEquals(OptionalInt.empty(), channel.window());
        assertNull(channel.alias());
        assertNull(channel.interfaceAddress());
        assertThrows(BusException.class, channel::endpoint);
    }

    @Test
    void parsesCommonKeys() {
        ChannelUri channel =
                ChannelUri.parse(
                        "verbus:rdma?endpoint=10.0.0.2:7400|interface=10.0.0.1|term-length=64k"
                                + "|mtu=1408|window=96K|session-id=-7|alias=quotes (live)=1");
        assertEquals("rdma", channel.media());
        assertEquals(new Endpoint("10.0.0.2", 7400), channel.endpoint());
        assertEquals("10.0.0.1", channel.interfaceAddress());
        assertEquals(64 * 1024, channel.termLength());
        assertTrue(channel.hasTermLength());
        assertEquals(1408, channel.mtu());
        assertTrue(channel.hasMtu());
        assertEquals(OptionalInt.of(96 * 1024), channel.window());
        assertEquals(OptionalInt.of(-7), channel.sessionId());
        assertEquals("quotes (live)=1", channel.alias());
    }

    @Test
    void parsesFlowControlWithGroupAndTimeout() {
        FlowChoice min = flow("min,g:/64");
        assertEquals(FlowChoice.Strategy.MIN, min.strategy());
        assertEquals(OptionalInt.of(64), min.groupSize());
        assertEquals(OptionalLong.empty(), min.tag());
        assertNull(min.timeout());
        FlowChoice tagged = flow("tagged,t:1500ms,g:-7/3");
        assertEquals(FlowChoice.Strategy.TAGGED, tagged.strategy());
        assertEquals(OptionalInt.of(3), tagged.groupSize());
        assertEquals(OptionalLong.of(-7), tagged.tag());
        assertEquals(Duration.ofMillis(1500), tagged.timeout());
        assertEquals("tagged,g:-7/3,t:1500ms", tagged.toString());
        assertEquals("tagged", flow("tagged").toString());
        assertEquals(OptionalInt.of(0), flow("min,t:5s,g:/0").groupSize());
        assertNull(ChannelUri.parse("verbus:udp?endpoint=224.0.1.1:1").flow());
        assertEquals(
                Duration.ofNanos(5_000_000_000L),
                ChannelUri.parse("aeron:udp?endpoint=224.0.1.1:1|fc=min,t:5000000000")
                        .flow()
                        .timeout());
    }

    private static FlowChoice flow(String text) {
        return ChannelUri.parse("verbus:udp?endpoint=224.0.1.1:1|fc=" + text).flow();
    }

    @Test
    void parsesSocketAndLossRecoverySettings() {
        ChannelUri channel =
                ChannelUri.parse(
                        "verbus:udp?endpoint=h:1|pub-wnd=64k|so-sndbuf=1m|so-rcvbuf=2m"
                                + "|nak-delay=50us|max-resend=256|group=false|stream-id=-3");
        DatagramSettings asked = channel.datagrams();
        assertEquals(OptionalInt.of(64 * 1024), channel.publicationWindow());
        assertEquals(OptionalInt.of(1 << 20), asked.sendBuffer());
        assertEquals(OptionalInt.of(2 << 20), asked.receiveBuffer());
        assertEquals(Duration.ofNanos(50_000), asked.nakDelay());
        assertEquals(OptionalInt.of(256), asked.maxResend());
        assertEquals(false, asked.group());
        channel.checkStream(-3);
        assertRefused(() -> channel.checkStream(3), "has stream-id -3, but stream 3");
        ChannelUri built =
                ChannelUri.udp("h:1")
                        .publicationWindow(64 * 1024)
                        .sendBuffer(1 << 20)
                        .receiveBuffer(2 << 20)
                        .nakDelay(Duration.ofNanos(50_000))
                        .maxResend(256)
                        .group(false)
                        .streamId(-3)
                        .build();
        assertEquals(channel, built);
        DatagramSettings none = ChannelUri.udp("h:1").build().datagrams();
        assertEquals(
                new DatagramSettings(
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        true,
                        null,
                        OptionalInt.empty(),
                        null,
                        null,
                        null),
                none);
        ChannelUri aeron =
                ChannelUri.parse(
                        "aeron:udp?endpoint=h:1|nak-delay=50000|group=infer|so-sndbuf=0|rcv-wnd=0");
        assertEquals("aeron:udp?endpoint=h:1|nak-delay=50us", aeron.toString());
        assertEquals("aeron:ipc", ChannelUri.parse("aeron:ipc?so-sndbuf=4k|group=x").toString());
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1, 0, 10.0.0.1",
        "10.0.0.1:40, 10.0.0.1, 40, 10.0.0.1:40",
        "10.1.0.0/16, 10.1.0.0/16, 0, 10.1.0.0/16",
        "10.1.0.0:7/016, 10.1.0.0/16, 7, 10.1.0.0:7/16",
        "localhost/24, localhost/24, 0, localhost/24",
        "fe80::1, fe80::1, 0, fe80::1",
        "[fe80::1], fe80::1, 0, fe80::1",
        "[fd00::]:9/64, fd00::/64, 9, [fd00::]:9/64",
        "{eth0}, {eth0}, 0, {eth0}",
        "{eth0}:65535, {eth0}, 65535, {eth0}:65535"
    })
    void parsesInterfaces(String text, String name, int port, String canonical) {
        ChannelUri channel = ChannelUri.parse("verbus:udp?endpoint=h:1|interface=" + text);
        assertEquals(new LocalInterface(name, port), channel.localInterface());
        assertEquals(name, channel.interfaceAddress());
        assertEquals(canonical, channel.localInterface().toString());
        assertEquals(List.of("h", name), channel.hostNames());
        assertEquals(LocalInterface.isSearched(name), name.contains("/") || name.contains("{"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{eth0",
                "{eth0}:",
                "{eth0}:65536",
                "{eth0}/24",
                "10.0.0.1/",
                "10.0.0.1/33",
                "10.0.0.1/x",
                "fd00::/129",
                "10.0.0.1:/8",
                "10.0.0.0/8:40",
                "1.2.3"
            })
    void rejectsInvalidInterfaces(String text) {
        assertRefused(
                () -> ChannelUri.parse("verbus:udp?endpoint=h:1|interface=" + text),
                "is invalid: it must be ADDRESS or {NAME} of an interface");
    }

    @Test
    void parsesUdpKeys() {
        ChannelUri channel =
                ChannelUri.parse(
                        "verbus:udp?endpoint=10.0.0.2:40123|interface=10.0.0.1|window=128k"
                            + "|reliable=false|cc=cubic|fc=tagged,g:-7|gtag=9|linger=250ms|ttl=4");
        assertEquals("udp", channel.media());
        assertFalse(channel.isIpc());
        assertEquals(new Endpoint("10.0.0.2", 40123), channel.endpoint());
        assertEquals("10.0.0.1", channel.interfaceAddress());
        assertEquals(OptionalInt.of(128 * 1024), channel.window());
        assertFalse(channel.datagrams().isReliable());
        assertEquals("cubic", channel.datagrams().congestionControl());
        assertEquals("tagged,g:-7", channel.flow().toString());
        assertEquals(OptionalLong.of(-7), channel.flow().tag());
        assertEquals(OptionalLong.of(9), channel.groupTag());
        assertEquals(Duration.ofMillis(250), channel.datagrams().linger());
        assertEquals(OptionalInt.of(4), channel.datagrams().ttl());
        ChannelUri built =
                ChannelUri.udp("10.0.0.2:40123")
                        .ttl(4)
                        .linger(Duration.ofMillis(250))
                        .reliable(false)
                        .congestionControl("cubic")
                        .flowControl("tagged,g:-7")
                        .groupTag(9)
                        .window(128 * 1024)
                        .interfaceAddress("10.0.0.1")
                        .build();
        assertEquals(channel, built);
        assertEquals(channel, ChannelUri.parse(channel.toString()));
    }

    @Test
    void parsesFabricSettings() {
        ChannelUri channel =
                ChannelUri.parse(
                        "verbus:rdma?endpoint=h:1|device=mlx5_0|dscp=26|path-mtu=4096"
                                + "|ack-timeout=50ms|retry-count=3|rnr-retry-count=7");
        FabricSettings settings = channel.fabric();
        assertEquals("mlx5_0", settings.device());
        assertEquals(OptionalInt.of(104), settings.trafficClass());
        assertEquals(OptionalInt.of(4096), settings.pathMtu());
        assertEquals(OptionalInt.of(14), settings.ackTimeout());
        assertEquals(OptionalInt.of(3), settings.retryCount());
        assertEquals(OptionalInt.of(7), settings.rnrRetryCount());
        ChannelUri built =
                ChannelUri.rdma("h:1")
                        .device("mlx5_0")
                        .dscp(26)
                        .pathMtu(4096)
                        .ackTimeout(14)
                        .retryCount(3)
                        .rnrRetryCount(7)
                        .build();
        assertEquals(channel, built);
        assertEquals(channel, ChannelUri.parse(channel.toString()));
        assertEquals(
                OptionalInt.of(255),
                ChannelUri.rdma("h:1").trafficClass(255).build().fabric().trafficClass());
        FabricSettings none = ChannelUri.rdma("h:1").build().fabric();
        assertNull(none.device());
        assertEquals(OptionalInt.empty(), none.trafficClass());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "device=x",
                "dscp=1",
                "path-mtu=256",
                "ack-timeout=3",
                "retry-count=1",
                "rnr-retry-count=1"
            })
    void sharesFabricOnlyIfSettingsMatch(String key) {
        FabricSettings none = ChannelUri.rdma("h:1").build().fabric();
        FabricSettings asked = ChannelUri.parse("verbus:rdma?endpoint=h:1|" + key).fabric();
        assertTrue(none.isWithin(asked));
        assertTrue(asked.isWithin(asked));
        assertFalse(asked.isWithin(none));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "31, 31",
        "1ns, 1",
        "8192ns, 1",
        "8193ns, 2",
        "67ms, 14",
        "68ms, 15",
        "8s, 21",
        "8796s, 31"
    })
    void roundsAcknowledgementTimeoutUp(String text, int exponent) {
        assertEquals(exponent, FabricSettings.ackTimeoutExponent(text));
    }

    @Test
    void returnsUdpDefaults() {
        ChannelUri channel = ChannelUri.udp("h:1").build();
        assertEquals(1408, channel.mtu());
        assertEquals(1408, channel.mtu(8192));
        assertEquals(512, channel.mtu(512));
        assertEquals(8192, ChannelUri.udp("h:1").mtu(8192).build().mtu(1408));
        assertEquals(4096, ChannelUri.ipc().build().mtu(4096));
        assertTrue(channel.datagrams().isReliable());
        assertNull(channel.flow());
        assertEquals(OptionalLong.empty(), channel.groupTag());
        assertNull(channel.datagrams().linger());
        assertEquals(OptionalInt.empty(), channel.datagrams().ttl());
        assertEquals(
                Duration.ZERO,
                ChannelUri.udp("h:1").linger(Duration.ZERO).build().datagrams().linger());
    }

    @Test
    void formatsEquivalentChannelsIdentically() {
        ChannelUri channel =
                ChannelUri.parse("verbus:rdma?mtu=8192|term-length=65536|endpoint=host:07400");
        assertEquals("verbus:rdma?endpoint=host:7400|term-length=64k|mtu=8k", channel.toString());
        ChannelUri built = ChannelUri.rdma("host:7400").mtu(8192).termLength(65536).build();
        assertEquals(channel, built);
        assertEquals(channel.hashCode(), built.hashCode());
        assertNotEquals(channel, ChannelUri.rdma("host:7400").build());
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.2:1, 10.0.0.2, 1",
        "'[fe80::1%eth0]:65535', fe80::1%eth0, 65535",
        "[::1]:80, ::1, 80",
        "[::ffff:10.0.0.1]:80, ::ffff:10.0.0.1, 80",
        "market-data.example.com:7400, market-data.example.com, 7400",
        "h_1:0, h_1, 0",
        "3com.example:1, 3com.example, 1"
    })
    void parsesEndpoints(String text, String host, int port) {
        Endpoint endpoint = ChannelUri.parse("verbus:rdma?endpoint=" + text).endpoint();
        assertEquals(new Endpoint(host, port), endpoint);
        assertEquals(endpoint, Endpoint.parse(endpoint.toString()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":1",
                "host",
                "host:",
                "host:x",
                "host:-1",
                "host:65536",
                "host:123456",
                "1.2.3:1",
                "1.2.3.4.5:1",
                "256.1.1.1:1",
                "01.2.3.4:1",
                "1.2.3.4.:1",
                "::1:80",
                "[::1]",
                "[::1]80",
                "[10.0.0.1]:80",
                "[host]:80",
                "[fe80::1%]:80",
                "[1::2::3]:80",
                "-host:1",
                "host-:1",
                "ho st:1",
                "a..b:1"
            })
    void rejectsInvalidEndpoints(String text) {
        BusException refused =
                assertThrows(
                        BusException.class, () -> ChannelUri.parse("verbus:rdma?endpoint=" + text));
        assertTrue(refused.getMessage().contains("must be"), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "verbus;does not begin with 'verbus:' or 'aeron:': write",
                "http:ipc;does not begin with 'verbus:' or 'aeron:': write",
                "VERBUS:ipc;does not begin with 'verbus:' or 'aeron:': write",
                "verbus:;unknown media ''",
                "verbus:tcp?endpoint=h:1;unknown media 'tcp': use one of ipc, rdma",
                "verbus:ipc?;'', which is not of the form key=value",
                "verbus:ipc?mtu;'mtu', which is not of the form key=value",
                "verbus:ipc?mtu=8k|;'', which is not of the form key=value",
                "verbus:ipc?endpoint=h:1;which ipc does not support: use one of control-mode,"
                    + " response-correlation-id, term-length, mtu, pub-wnd, session-id, stream-id,"
                    + " tags, init-term-id, term-id, term-offset, tether, rejoin,"
                    + " untethered-window-limit-timeout, untethered-linger-timeout,"
                    + " untethered-resting-timeout, alias",
                "verbus:ipc?Mtu=8k;'Mtu', which ipc does not support",
                "verbus:rdma?endpoint=h:1|ttl=3;'ttl', which rdma does not support: use one of"
                        + " endpoint, interface, control, control-mode, response-correlation-id,"
                        + " device, traffic-class, dscp, path-mtu, ack-timeout, retry-count,"
                        + " rnr-retry-count, term-length, mtu, window, fc, gtag, ssc, session-id,"
                        + " stream-id, tags, init-term-id, term-id, term-offset, eos, tether,"
                        + " rejoin, untethered-window-limit-timeout, untethered-linger-timeout,"
                        + " untethered-resting-timeout, channel-snd-ts-offset, alias",
                "verbus:ipc?session-id=tag:x;session-id 'tag:x' is invalid: it must be a whole",
                "verbus:ipc?tags=;tags '' is invalid: it must be an endpoint tag",
                "verbus:ipc?tags=1,2,3;tags '1,2,3' is invalid",
                "verbus:ipc?tags=1,;tags '1,' is invalid",
                "verbus:ipc?tags=7,-1;tags '7,-1' is invalid",
                "verbus:ipc?tags=9223372036854775808;is invalid",
                "verbus:ipc?term-id=1|init-term-id=1;has only some of init-term-id, term-id and",
                "verbus:ipc?term-offset=0;set all three, or none",
                "verbus:ipc?init-term-id=5|term-id=4|term-offset=0;it must be at least init-term-id"
                        + " 5",
                "verbus:ipc?init-term-id=0|term-id=0|term-offset=33;must be a multiple of 32",
                "verbus:ipc?init-term-id=0|term-id=0|term-offset=-32;must be a multiple of 32",
                "verbus:ipc?term-length=64k|init-term-id=0|term-id=0|term-offset=65568;term length"
                        + " 65536: lower term-offset",
                "verbus:ipc?mtu=8k|mtu=8k;the key mtu twice",
                "verbus:rdma;has no endpoint",
                "verbus:rdma?mtu=4k;has no endpoint",
                "verbus:ipc?term-length=65537;term-length '65537' is invalid: it must be a "
                        + "power of two from 64k to 1g",
                "verbus:ipc?term-length=32k;term-length '32k' is invalid",
                "verbus:ipc?term-length=2g;term-length '2g' is invalid",
                "verbus:ipc?term-length=;term-length '' is invalid",
                "verbus:ipc?term-length=-64k;term-length '-64k' is invalid",
                "verbus:ipc?term-length=9999999999g;term-length '9999999999g' is invalid",
                "verbus:ipc?mtu=100;mtu '100' is invalid: it must be a multiple of 32",
                "verbus:ipc?mtu=64k;mtu '64k' is invalid",
                "verbus:ipc?session-id=1.5;session-id '1.5' is invalid",
                "verbus:ipc?session-id=2147483648;session-id '2147483648' is invalid",
                "verbus:ipc?session-id=+1;session-id '+1' is invalid",
                "verbus:ipc?alias=;alias '' is invalid",
                "verbus:ipc?term-length=64k|mtu=16k;more than an eighth of its term length",
                "verbus:udp;has no endpoint",
                "verbus:udp?endpoint=h:1|cc=reno;cc 'reno' is invalid: it must be static or "
                        + "cubic",
                "verbus:udp?endpoint=h:1|reliable=yes;reliable 'yes' is invalid: it must be "
                        + "true or",
                "verbus:udp?endpoint=h:1|fc=fast;fc 'fast' is invalid: it must be max, "
                        + "min,g:/SIZE",
                "verbus:udp?endpoint=h:1|fc=min,g:/65;fc 'min,g:/65' is invalid",
                "verbus:udp?endpoint=h:1|fc=min,g:7;fc 'min,g:7' is invalid",
                "verbus:udp?endpoint=h:1|fc=tagged,g:7/65;fc 'tagged,g:7/65' is invalid",
                "verbus:udp?endpoint=h:1|fc=tagged,g:;fc 'tagged,g:' is invalid",
                "verbus:udp?endpoint=h:1|fc=tagged,g:7,g:8;fc 'tagged,g:7,g:8' is invalid",
                "verbus:udp?endpoint=h:1|fc=max,t:5s;fc 'max,t:5s' is invalid",
                "verbus:udp?endpoint=h:1|fc=min,t:5;fc 'min,t:5' is invalid",
                "verbus:udp?endpoint=h:1|fc=min,t:61s;fc 'min,t:61s' is invalid",
                "verbus:udp?endpoint=h:1|fc=min,t:1s,t:1s;fc 'min,t:1s,t:1s' is invalid",
                "verbus:udp?endpoint=h:1|fc=min,t:0s;fc 'min,t:0s' is invalid",
                "verbus:udp?endpoint=h:1|fc=min,;fc 'min,' is invalid",
                "verbus:udp?endpoint=h:1|so-sndbuf=1023;it must be from 1k to 1g",
                "verbus:udp?endpoint=h:1|so-rcvbuf=0;it must be from 1k to 1g",
                "verbus:udp?endpoint=h:1|pub-wnd=63;it must be from 64 to 1g",
                "verbus:udp?endpoint=h:1|nak-delay=5;it must be from 0s to 3600s",
                "verbus:udp?endpoint=h:1|max-resend=0;it must be a whole number from 1 to 256",
                "verbus:udp?endpoint=h:1|max-resend=257;max-resend '257' is invalid",
                "verbus:udp?endpoint=h:1|group=infer;it must be true or false",
                "verbus:ipc?stream-id=x;stream-id 'x' is invalid",
                "verbus:rdma?endpoint=h:1|pub-wnd=64k;'pub-wnd', which rdma does not support",
                "verbus:rdma?endpoint=h:1|interface=10.0.0.1:7;has a port in interface",
                "verbus:rdma?control-mode=manual|fc=tagged;without a tag: add one",
                "verbus:rdma?control-mode=manual|fc=min,t:5s;has t:TIME in fc",
                "verbus-spy:udp?control=h:1|endpoint=h:2|control-mode=dynamic;nothing would be",
                "verbus:udp?endpoint=h:1|fc=tagged,g:x;fc 'tagged,g:x' is invalid",
                "verbus:udp?endpoint=h:1|gtag=9999999999999999999;is invalid: it must be a 64-bit",
                "verbus:udp?endpoint=h:1|linger=5;linger '5' is invalid: it must be from 0s to"
                        + " 3600s",
                "verbus:udp?endpoint=h:1|linger=3601s;linger '3601s' is invalid",
                "verbus:udp?endpoint=h:1|linger=99999999999s;linger '99999999999s' is invalid",
                "verbus:udp?endpoint=h:1|linger=-1s;linger '-1s' is invalid",
                "verbus:udp?endpoint=h:1|ttl=256;ttl '256' is invalid: it must be a whole "
                        + "number",
                "verbus:udp?endpoint=h:1|ttl=k;ttl 'k' is invalid",
                "verbus:rdma?endpoint=h:1|control-mode=manual;both control-mode=manual and an",
                "verbus:udp?control=h:1|control-mode=manual;remove control, and add it as",
                "verbus:rdma?control-mode=manual|interface=10.0.0.1;set interface in each",
                "verbus:rdma?control-mode=dynamic;without control: add control=host:port",
                "verbus:udp?control-mode=dynamic;has control-mode=dynamic without control",
                "verbus:udp?control=h:1;has control without endpoint",
                "verbus:udp?control-mode=auto;must be manual, dynamic or response",
                "verbus:rdma?endpoint=h:1|fc=min;only one receiver",
                "verbus:rdma?control-mode=manual|ssc=1;ssc '1' is invalid: it must be true or "
                        + "false",
                "verbus-spy:tcp;unknown media 'tcp'",
                "verbus-spy:rdma;has no endpoint",
                "verbus-spie:ipc;does not begin with 'verbus:' or 'aeron:': write",
                "verbus:rdma?endpoint=h:1|window=63;window '63' is invalid",
                "verbus:rdma?endpoint=h:1|window=1m|term-length=64k;more than two terms",
                "verbus:rdma?endpoint=h:1|interface=1.2.3;interface '1.2.3' is invalid: it must",
                "verbus:rdma?endpoint=h:1|device=;device '' is invalid: it must be the name",
                "verbus:rdma?endpoint=h:1|device=../x;device '../x' is invalid",
                "verbus:rdma?endpoint=h:1|traffic-class=256;traffic-class '256' is invalid: it "
                        + "must be a whole number from 0 to 255",
                "verbus:rdma?endpoint=h:1|dscp=64;dscp '64' is invalid: it must be a whole "
                        + "number from 0 to 63",
                "verbus:rdma?endpoint=h:1|dscp=1|traffic-class=4;remove traffic-class or dscp",
                "verbus:rdma?endpoint=h:1|path-mtu=1500;it must be 256, 512, 1024, 2048 or 4096",
                "verbus:rdma?endpoint=h:1|path-mtu=4k;path-mtu '4k' is invalid",
                "verbus:rdma?endpoint=h:1|ack-timeout=0;ack-timeout '0' is invalid: it must be an",
                "verbus:rdma?endpoint=h:1|ack-timeout=32;ack-timeout '32' is invalid",
                "verbus:rdma?endpoint=h:1|ack-timeout=0ms;ack-timeout '0ms' is invalid",
                "verbus:rdma?endpoint=h:1|ack-timeout=9000s;ack-timeout '9000s' is invalid",
                "verbus:rdma?endpoint=h:1|ack-timeout=soon;ack-timeout 'soon' is invalid",
                "verbus:rdma?endpoint=h:1|retry-count=7;retry-count '7' is invalid: it must be "
                        + "a whole number from 0 to 6",
                "verbus:rdma?endpoint=h:1|rnr-retry-count=8;rnr-retry-count '8' is invalid",
                "verbus:udp?endpoint=h:1|device=x;'device', which udp does not support"
            })
    void reportsErrorAndRemedy(String text, String message) {
        BusException refused = assertThrows(BusException.class, () -> ChannelUri.parse(text));
        assertTrue(refused.getMessage().contains(message), refused.getMessage());
        assertTrue(refused.getMessage().contains(": "), refused.getMessage());
    }

    @Test
    void parsesMultiDestinationAndSpyChannels() {
        ChannelUri manual = ChannelUri.parse("verbus:rdma?control-mode=manual|fc=tagged,g:7");
        assertEquals(ChannelUri.rdmaManual().flowControl("tagged,g:7").build(), manual);
        assertTrue(manual.isManual());
        assertFalse(manual.hasEndpoint());
        manual.checkPublishable();
        ChannelUri dynamic =
                ChannelUri.parse("verbus:udp?control=10.0.0.1:5|control-mode=dynamic|fc=min");
        assertEquals(ChannelUri.udpDynamic("10.0.0.1:5").flowControl("min").build(), dynamic);
        assertTrue(dynamic.isDynamic());
        dynamic.checkPublishable();
        ChannelUri receiver = ChannelUri.parse("verbus:udp?endpoint=10.0.0.2:0|control=10.0.0.1:5");
        assertEquals("10.0.0.1:5", receiver.control().toString());
        receiver.checkSubscribable();
        ChannelUri spy = ChannelUri.parse("verbus-spy:udp?control-mode=manual|session-id=9");
        assertEquals(ChannelUri.udpManual().sessionId(9).spy().build(), spy);
        assertTrue(spy.isSpy());
        assertEquals(spy, ChannelUri.parse(spy.toString()));
        spy.checkSubscribable();
        ChannelUri.parse("verbus-spy:ipc").checkSubscribable();
        assertTrue(ChannelUri.parse("verbus:udp?endpoint=h:1|ssc=true").spiesConnect());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "verbus-spy:rdma?endpoint=h:1;is a spy channel, which only a subscription can use",
                "verbus:udp?control=h:1|endpoint=h:2|control-mode=dynamic;nothing would be sent",
                "verbus:rdma?control=h:1|endpoint=h:2|control-mode=dynamic;nothing would be sent",
                "aeron:udp?control=h:2;has control without endpoint"
            })
    void rejectsPublishingOnSubscriptionChannel(String text, String message) {
        assertRefused(ChannelUri.parse(text)::checkPublishable, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "verbus:udp?control=h:1|control-mode=dynamic;has no endpoint",
                "verbus:udp?endpoint=h:1|session-id=tag:7;which only a publication can use",
                "verbus:udp?endpoint=h:1|control=h:0;port 0 in control"
            })
    void rejectsSubscribingToPublicationChannel(String text, String message) {
        assertRefused(ChannelUri.parse(text)::checkSubscribable, message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "verbus:ipc?session-id=7|alias=a",
                "verbus:udp?endpoint=h:1|window=64k|cc=cubic|reliable=false|gtag=7|session-id=7",
                "verbus:udp?endpoint=h:1|control=h:2",
                "verbus:udp?endpoint=h:1|control=h:2|control-mode=dynamic|fc=min",
                "verbus:rdma?endpoint=h:1|control=h:2|control-mode=dynamic|fc=min",
                "aeron:udp?endpoint=h:1|control=h:2|control-mode=dynamic",
                "aeron:udp?control=h:2",
                "verbus:udp?endpoint=h:1|so-sndbuf=1m|so-rcvbuf=1m|nak-delay=1ms|group=true",
                "verbus:udp?endpoint=239.7.7.7:1|interface=10.0.0.1",
                "verbus:rdma?endpoint=h:1|window=64k|gtag=7|device=rxe0|path-mtu=1024",
                "verbus:rdma?endpoint=h:1|ack-timeout=14|rnr-retry-count=7",
                "verbus-spy:udp?endpoint=h:1|term-length=1m|mtu=1k|ssc=true|fc=min"
            })
    void acceptsKeysWithEffectOnSubscription(String text) {
        ChannelUri.parse(text).checkSubscribable();
    }

    @Test
    void rejectsUnknownScheme() {
        assertRefused(
                () -> ChannelUri.parse("tcp:x"),
                "does not begin with 'verbus:' or 'aeron:': write");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "verbus:ipc;is an IPC channel, which cannot be a destination",
                "verbus-spy:rdma?endpoint=h:1;spies are invalid as destinations",
                "verbus:rdma?endpoint=h:0;has port 0",
                "verbus:rdma?endpoint=h:1|mtu=4k;the key mtu, which belongs in the publication's",
                "verbus:udp?endpoint=h:1|interface=10.0.0.1;the key interface, which belongs",
                "verbus:udp?endpoint=h:1|fc=min;the key fc",
                "aeron:udp?endpoint=h:1|mtu=4k;the key mtu",
                "aeron:udp?endpoint=h:1|rcv-wnd=4k;the key rcv-wnd",
                "aeron:udp?endpoint=h:1|so-sndbuf=4k;the key so-sndbuf",
                "aeron:udp?endpoint=h:1|so-rcvbuf=4k;the key so-rcvbuf"
            })
    void rejectsInvalidDestinations(String text, String message) {
        assertRefused(ChannelUri.parse(text)::checkDestination, message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mtu", "rcv-wnd", "so-sndbuf", "so-rcvbuf"})
    void rejectsInvalidReceiveDestinations(String key) {
        ChannelUri channel = ChannelUri.parse("aeron:udp?endpoint=h:1|" + key + "=4096");
        assertRefused(channel::checkReceiveDestination, "has the key " + key + ", which belongs");
        ChannelUri.parse("aeron:udp?endpoint=h:1|ttl=4").checkReceiveDestination();
        ChannelUri.parse("aeron:udp?control=h:1").checkReceiveDestination();
        ChannelUri.parse("aeron:udp?control=h:1|control-mode=dynamic").checkReceiveDestination();
        assertRefused(
                ChannelUri.parse("verbus:udp?control=h:1|control-mode=dynamic")
                        ::checkReceiveDestination,
                "has no endpoint");
    }

    private static void assertRefused(Executable check, String message) {
        BusException refused = assertThrows(BusException.class, check);
        assertTrue(refused.getMessage().contains(message), refused.getMessage());
        assertTrue(refused.getMessage().contains(": "), refused.getMessage());
    }

    @Test
    void acceptsChannelWithEndpointAsDestination() {
        ChannelUri.parse("verbus:rdma?endpoint=h:1|interface=10.0.0.1").checkDestination();
        ChannelUri.parse("verbus:udp?endpoint=h:1").checkDestination();
    }

    @Test
    void rejectsNullAndTooLongTexts() {
        assertThrows(BusException.class, () -> ChannelUri.parse(null));
        String longest = "verbus:ipc?alias=";
        longest += "a".repeat(ChannelUri.MAX_LENGTH - longest.length());
        assertEquals(longest, ChannelUri.parse(longest).toString());
        String text = longest + "a";
        assertTrue(
                assertThrows(BusException.class, () -> ChannelUri.parse(text))
                        .getMessage()
                        .contains("shorten the channel"));
    }

    @Test
    void rejectsInvalidBuilderValues() {
        assertThrows(BusException.class, () -> ChannelUri.rdma("nowhere"));
        assertThrows(BusException.class, () -> ChannelUri.ipc().termLength(1000));
        assertThrows(BusException.class, () -> ChannelUri.ipc().window(8192).build());
        assertThrows(
                BusException.class, () -> ChannelUri.ipc().termLength(65536).mtu(16384).build());
    }

    @Test
    void builderRejectsSameValuesAsParser() {
        ChannelUriBuilder builder = ChannelUri.udp("h:1");
        assertRefused(
                () -> builder.termLength(65537), "term-length '65537' is invalid: it must be a ");
        assertRefused(() -> builder.mtu(100), "mtu '100' is invalid: it must be a multiple of 32");
        assertRefused(() -> builder.window(63), "window '63' is invalid: it must be from 64 to");
        assertRefused(
                () -> builder.linger(Duration.ofHours(2)),
                "linger '7200000000000ns' is invalid: it must be from 0s to 3600s");
        assertRefused(
                () -> builder.untetheredLinger(Duration.ofNanos(1)),
                "untethered-linger-timeout '1ns' is invalid: it must be from 1ms to");
        assertRefused(() -> builder.nakDelay(Duration.ofNanos(-1)), "nak-delay '-1ns' is invalid");
        assertRefused(() -> builder.ttl(256), "ttl '256' is invalid: it must be a whole number");
        assertRefused(() -> builder.sendTimestamp(-1), "channel-snd-ts-offset '-1' is invalid");
        assertRefused(() -> builder.sendTimestamp(65465), "channel-snd-ts-offset '65465' is inva");
        assertRefused(() -> builder.responseCorrelationId(-3), "id '-3' is invalid: it must be th");
        assertRefused(() -> builder.pathMtu(1000), "path-mtu '1000' is invalid: it must be 256, ");
        assertRefused(() -> builder.ackTimeout(32), "ack-timeout '32' is invalid: it must be an");
        assertRefused(() -> builder.placeTag(-1), "tags '-1' is invalid: it must be an endpoint");
        assertRefused(() -> builder.flowControl("fast"), "fc 'fast' is invalid: it must be max, ");
        assertEquals(ChannelUri.parse("verbus:udp?endpoint=h:1"), builder.build());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "verbus:udp?endpoint=h:1|channel-snd-ts-offset=-8",
                "verbus:udp?endpoint=h:1|response-correlation-id=-2",
                "verbus:udp?endpoint=h:1|response-correlation-id=-3",
                "verbus:udp?endpoint=h:1|tags=-1",
                "verbus:udp?endpoint=h:1|tags=1,-1",
                "verbus:udp?endpoint=h:1|fc=min,t:61s",
                "verbus:udp?endpoint=h:1|so-rcvbuf=4g",
                "verbus:rdma?endpoint=h:1|path-mtu=0256",
                "verbus:rdma?endpoint=h:1|ack-timeout=0"
            })
    void rejectsSentinelAndOutOfRangeNumbers(String text) {
        assertRefused(() -> ChannelUri.parse(text), "' is invalid: it must be ");
    }

    @Test
    void allowsPortZeroOnlyForSubscriptions() {
        ChannelUri channel = ChannelUri.parse("verbus:rdma?endpoint=10.0.0.2:0");
        assertTrue(
                assertThrows(BusException.class, channel::checkPublishable)
                        .getMessage()
                        .contains("port 0"));
        channel.checkSubscribable();
        ChannelUri.parse("verbus:rdma?endpoint=10.0.0.2:1").checkPublishable();
        ChannelUri.parse("verbus:ipc").checkPublishable();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "aeron:ipc;aeron:ipc",
                "aeron:ipc?alias=x|sparse=true|unknown=7;aeron:ipc?alias=x",
                "aeron:udp?ssc=true|endpoint=h:1|rcv-wnd=128k|eos=true;"
                        + "aeron:udp?endpoint=h:1|rcv-wnd=128k|ssc=true|eos=true",
                "aeron-spy:aeron-udp;",
                "aeron-spy:aeron:udp?endpoint=h:1|linger=5s;"
                        + "aeron-spy:aeron:udp?endpoint=h:1|linger=5s",
                "aeron:ipc?endpoint=h:1|window=64k;aeron:ipc"
            })
    void parsesAeronChannelsLeniently(String text, String canonical) {
        if (canonical == null) {
            assertThrows(BusException.class, () -> ChannelUri.parse(text));
            return;
        }
        ChannelUri channel = ChannelUri.parse(text);
        assertEquals(canonical, channel.toString());
        assertEquals(channel, ChannelUri.parse(canonical));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "reliable=yes;reliable=false",
                "tether=TRUE;tether=false",
                "eos=TRUE;eos=true",
                "ssc=yes;ssc=false",
                "group=yes;group=false",
                "group=infer;",
                "control-mode=none;",
                "rcv-wnd=1;rcv-wnd=64",
                "rcv-wnd=0;",
                "so-sndbuf=1;so-sndbuf=1k",
                "linger=5S;linger=5s",
                "linger=100;linger=100ns",
                "untethered-window-limit-timeout=1;untethered-window-limit-timeout=1ms",
                "untethered-resting-timeout=7200s;untethered-resting-timeout=3600s",
                "session-id=+5;session-id=5",
                "session-id=-05;session-id=-5",
                "session-id=0;session-id=0",
                "gtag=007;gtag=7",
                "tags=-1;",
                "tags=+1,02;tags=1,2",
                "ttl=0;",
                "ttl=abc;",
                "alias=;",
                "alias=a|alias=b;alias=b",
                "mtu=100|mtu=8k;mtu=8k",
                "channel-snd-ts-offset=-8;channel-snd-ts-offset=reserved",
                "fc=min,t:5000000000;fc=min,t:5s"
            })
    void parsesAeronValuesLikeAeronsDriver(String keys, String canonical) {
        assertEquals(
                "aeron:udp?endpoint=h:1" + (canonical == null ? "" : "|" + canonical),
                ChannelUri.parse("aeron:udp?endpoint=h:1|" + keys).toString());
    }

    @ParameterizedTest
    @CsvSource({
        "mtu=100, true",
        "term-length=64k|mtu=16k, true",
        "max-resend=257, true",
        "cc=vegas, false",
        "media-rcv-ts-offset=-1, false",
        "media-rcv-ts-offset=0|channel-rcv-ts-offset=7, false",
        "media-rcv-ts-offset=8|channel-rcv-ts-offset=1, false",
        "media-rcv-ts-offset=reserved|channel-rcv-ts-offset=reserved, false",
        "media-rcv-ts-offset=8|channel-snd-ts-offset=8, false"
    })
    void rejectsInvalidAeronValueOnlyOnSideThatReadsIt(String keys, boolean isPublications) {
        ChannelUri channel = ChannelUri.parse("aeron:udp?endpoint=h:1|" + keys);
        if (isPublications) {
            channel.checkSubscribable();
            assertThrows(BusException.class, channel::checkPublishable);
        } else {
            channel.checkPublishable();
            assertThrows(BusException.class, channel::checkSubscribable);
        }
    }

    @Test
    void rejectsInvalidTtlOfMulticastGroup() {
        assertThrows(
                BusException.class, () -> ChannelUri.parse("aeron:udp?endpoint=224.0.1.1:1|ttl=x"));
    }

    @Test
    void rejectsUnsupportedKeysThatWouldChangeTheStream() {
        UnsupportedChannelException refused =
                assertThrows(
                        UnsupportedChannelException.class,
                        () ->
                                ChannelUri.parse("aeron:rdma?endpoint=h:1|media-rcv-ts-offset=0")
                                        .checkSubscribable());
        assertTrue(refused.getMessage().contains("a one-sided Write does not notify"));
    }

    @Test
    void parsesTetherSettings() {
        ChannelUri bare = ChannelUri.parse("verbus:ipc");
        TetherSettings unset = bare.tether();
        assertEquals(new TetherSettings(true, true, null, null, null), unset);
        ChannelUri channel =
                ChannelUri.parse(
                        "aeron:udp?endpoint=h:1|tether=false|rejoin=false"
                                + "|untethered-window-limit-timeout=50000000"
                                + "|untethered-linger-timeout=25ms"
                                + "|untethered-resting-timeout=444s");
        assertEquals(
                new TetherSettings(
                        false,
                        false,
                        Duration.ofMillis(50),
                        Duration.ofMillis(25),
                        Duration.ofSeconds(444)),
                channel.tether());
        assertEquals(channel, ChannelUri.parse(channel.toString()));
        ChannelUri built =
                ChannelUri.udp("h:1")
                        .tether(false)
                        .rejoin(false)
                        .untetheredWindowLimit(Duration.ofMillis(50))
                        .untetheredLinger(Duration.ofMillis(25))
                        .untetheredResting(Duration.ofSeconds(444))
                        .build();
        built.checkSubscribable();
        assertEquals(channel.tether(), built.tether());
    }

    @Test
    void allowsTetherKeysOnAllMedia() {
        ChannelUri.parse("verbus:ipc?tether=false|rejoin=false").checkSubscribable();
        ChannelUri.parse("verbus-spy:udp?endpoint=h:1|tether=false").checkSubscribable();
        ChannelUri.parse("verbus:rdma?endpoint=h:1|rejoin=false").checkSubscribable();
        ChannelUri.parse("verbus:ipc?untethered-linger-timeout=1s").checkPublishable();
        ChannelUri.parse("aeron:ipc?tether=false").checkPublishable();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "verbus:ipc?rejoin=false;add tether=false",
                "verbus-spy:udp?endpoint=h:1|rejoin=false;add tether=false"
            })
    void rejectsTetherKeysWithoutEffectOnSubscription(String text, String remedy) {
        ChannelUri channel = ChannelUri.parse(text);
        BusException refused = assertThrows(BusException.class, channel::checkSubscribable);
        assertTrue(refused.getMessage().contains(remedy), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "verbus:ipc?tether=no",
                "verbus:ipc?untethered-linger-timeout=999us",
                "verbus:ipc?untethered-resting-timeout=3601s",
                "verbus:ipc?untethered-window-limit-timeout=5"
            })
    void rejectsInvalidTetherValues(String text) {
        assertThrows(BusException.class, () -> ChannelUri.parse(text));
    }

    @Test
    void rejectsTetherKeysInDestinations() {
        BusException refused =
                assertThrows(
                        BusException.class,
                        ChannelUri.parse("verbus:udp?endpoint=h:1|tether=false")
                                ::checkReceiveDestination);
        assertTrue(refused.getMessage().contains("subscription's own channel"));
        ChannelUri.parse("aeron:udp?endpoint=h:1|tether=false").checkReceiveDestination();
    }

    @Test
    void parsesRequestAndResponseChannels() {
        ChannelUri request = ChannelUri.parse("verbus:udp?endpoint=h:1|response-correlation-id=7");
        assertTrue(request.response().isRequest());
        assertEquals(7, request.response().correlationId());
        assertEquals(ChannelUri.udp("h:1").responseCorrelationId(7).build(), request);
        ChannelUri response =
                ChannelUri.parse(
                        "verbus:udp?control=h:1|control-mode=response|response-correlation-id=9");
        assertTrue(response.response().isOfImage());
        assertEquals(ChannelUri.udpResponses("h:1").responseCorrelationId(9).build(), response);
        response.checkPublishable();
        ChannelUri prototype =
                ChannelUri.parse(
                        "aeron:udp?control=h:1|control-mode=response"
                                + "|response-correlation-id=prototype");
        assertEquals(ResponseLink.PROTOTYPE, prototype.response().correlationId());
        assertEquals(prototype, ChannelUri.parse(prototype.toString()));
        ChannelUri.parse("verbus:udp?control=h:1|control-mode=response").checkSubscribable();
        ChannelUri.parse("aeron:udp?control-mode=response").checkSubscribable();
        ChannelUri.parse("verbus:ipc?control-mode=response").checkSubscribable();
        assertFalse(ChannelUri.parse("aeron:ipc?control-mode=manual").isManual());
        assertFalse(
                ChannelUri.parse("aeron:udp?endpoint=h:1|response-correlation-id=-1")
                        .response()
                        .isRequest());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "verbus:udp?control-mode=response; without control",
                "verbus:ipc?control-mode=manual; which ipc does not support",
                "verbus:rdma?control-mode=response; without control",
                "verbus:udp?endpoint=h:1|response-correlation-id=-2; must be the id of",
                "verbus:udp?endpoint=h:1|response-correlation-id=what; must be the id of",
            })
    void rejectsInvalidResponseChannels(String text, String reason) {
        String message =
                assertThrows(BusException.class, () -> ChannelUri.parse(text)).getMessage();
        assertTrue(message.contains(reason), message);
    }

    @Test
    void acceptsControlForAnnouncementsOverRdma() {
        ChannelUri.parse("verbus:rdma?endpoint=h:1|control=h:2").checkSubscribable();
        ChannelUri.rdmaDynamic("h:2").flowControl("max").build().checkPublishable();
        ChannelUri.parse("verbus:rdma?control=h:1|control-mode=response").checkSubscribable();
        assertEquals(
                ChannelUri.parse("verbus:rdma?control=h:1|control-mode=response"),
                ChannelUri.rdmaResponses("h:1").build());
        ChannelUri both = ChannelUri.parse("verbus:rdma?endpoint=h:1|control=h:2");
        assertTrue(
                assertThrows(UnsupportedChannelException.class, both::checkPublishable)
                        .getMessage()
                        .contains("does not send from a fixed port"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aeron:udp?control=h:1|control-mode=response",
                "verbus:ipc?control-mode=response",
                "aeron:udp?control-mode=response|response-correlation-id=4"
            })
    void rejectsPublishingResponsesWithoutRequester(String text) {
        ChannelUri channel = ChannelUri.parse(text);
        assertThrows(InvalidChannelException.class, channel::checkPublishable);
    }

    @Test
    void parsesTimestampOffsets() {
        ChannelUri sent = ChannelUri.parse("verbus:udp?endpoint=h:1|channel-snd-ts-offset=8");
        assertEquals(OptionalInt.of(8), sent.timestamps().send());
        assertEquals(ChannelUri.udp("h:1").sendTimestamp(8).build(), sent);
        ChannelUri received =
                ChannelUri.parse("aeron:udp?endpoint=h:1|channel-rcv-ts-offset=reserved");
        assertEquals(OptionalInt.of(TimestampSettings.RESERVED), received.timestamps().receive());
        assertEquals(received, ChannelUri.parse(received.toString()));
        assertEquals(OptionalInt.empty(), received.timestamps().send());
        ChannelUri byMedia =
                ChannelUri.parse(
                        "aeron:udp?endpoint=h:1|media-rcv-ts-offset=8|channel-rcv-ts-offset=0"
                                + "|channel-snd-ts-offset=reserved");
        byMedia.checkSubscribable();
        assertEquals(OptionalInt.of(8), byMedia.timestamps().media());
        assertEquals(
                ChannelUri.udp("h:1").mediaTimestamp(8).build(),
                ChannelUri.parse("verbus:udp?endpoint=h:1|media-rcv-ts-offset=8"));
        assertEquals(
                OptionalInt.of(0),
                ChannelUri.parse("verbus:rdma?endpoint=h:1|channel-snd-ts-offset=0")
                        .timestamps()
                        .send());
        for (String wrong : List.of("-1", "65465", "x", "")) {
            assertThrows(
                    BusException.class,
                    () ->
                            ChannelUri.parse(
                                    "verbus:udp?endpoint=h:1|channel-snd-ts-offset=" + wrong));
        }
    }

    @Test
    void acceptsAeronKeysOnEitherSide() {
        ChannelUri.parse("aeron:udp?endpoint=h:1|term-length=64k|mtu=1408").checkSubscribable();
        ChannelUri.parse("aeron:udp?endpoint=h:1|reliable=false|gtag=7").checkPublishable();
        ChannelUri.parse("aeron:udp?control-mode=manual|rcv-wnd=64k").checkSubscribable();
        ChannelUri.parse("verbus:rdma?control-mode=manual").checkSubscribable();
    }

    @Test
    void parsesTags() {
        ChannelUri both = ChannelUri.parse("aeron:udp?endpoint=h:1|tags=7,-9");
        assertEquals(OptionalLong.of(7), both.tags().place());
        assertEquals(OptionalLong.of(-9), both.tags().publication());
        ChannelUri one = ChannelUri.parse("verbus:ipc?tags=,3");
        assertEquals(OptionalLong.empty(), one.tags().place());
        assertEquals(ChannelUri.ipc().publicationTag(3).build(), one);
        assertEquals(
                "verbus:ipc?tags=2,3",
                ChannelUri.ipc().placeTag(2).publicationTag(3).build().toString());
        assertTrue(ChannelUri.parse("verbus:ipc").tags().place().isEmpty());
        ChannelUri session = ChannelUri.parse("verbus:ipc?session-id=tag:3");
        assertEquals(OptionalLong.of(3), session.sessionTag());
        assertTrue(session.sessionId().isEmpty());
        assertEquals(ChannelUri.ipc().sessionTag(3).build(), session);
    }

    @Test
    void parsesStreamStart() {
        StreamStart start = new StreamStart(-5, 3, 96);
        ChannelUri channel = ChannelUri.ipc().start(start).build();
        assertEquals("verbus:ipc?init-term-id=-5|term-id=3|term-offset=96", channel.toString());
        assertEquals(start, ChannelUri.parse(channel.toString()).start());
        assertEquals(8 * 65536 + 96, start.position(65536));
        assertNull(ChannelUri.parse("verbus:ipc").start());
        assertEquals(
                Integer.MAX_VALUE * 65536L,
                new StreamStart(Integer.MIN_VALUE, -1, 0).position(65536));
    }

    @Test
    void parsesEndOfStreamKey() {
        assertFalse(ChannelUri.udp("h:1").tellsEnd(false).build().tellsEnd());
        assertTrue(ChannelUri.udp("h:1").build().tellsEnd());
        assertTrue(ChannelUri.parse("aeron:ipc?eos=false").tellsEnd());
    }
}
