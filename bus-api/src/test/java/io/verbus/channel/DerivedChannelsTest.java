// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class DerivedChannelsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "verbus:ipc?term-length=1m",
                "verbus:ipc?mtu=1k",
                "verbus:udp?endpoint=h:1|term-length=1m",
                "verbus:udp?endpoint=h:1|fc=min",
                "verbus:udp?endpoint=h:1|ssc=true",
                "verbus:udp?endpoint=h:1|linger=1s",
                "verbus:udp?endpoint=h:1|ttl=3",
                "verbus:udp?endpoint=h:1|pub-wnd=64k",
                "verbus:udp?endpoint=h:1|max-resend=1",
                "verbus:rdma?endpoint=h:1|interface=10.0.0.1",
                "verbus:rdma?endpoint=h:1|dscp=1",
                "verbus:rdma?endpoint=h:1|traffic-class=4",
                "verbus:rdma?endpoint=h:1|retry-count=1",
                "verbus:rdma?endpoint=h:1|mtu=4k",
                "verbus-spy:udp?endpoint=h:1|reliable=false"
            })
    void ignoresPublicationKeysOnSubscription(String text) {
        ChannelUri channel = ChannelUri.parse(text);
        channel.checkSubscribable();
        ChannelUri subscription = DerivedChannels.forSubscription(channel);
        assertEquals(withoutLastKey(text), subscription);
        assertEquals(text, subscription.written());
        assertEquals(subscription, DerivedChannels.forSubscription(subscription));
    }

    private static ChannelUri withoutLastKey(String text) {
        return ChannelUri.parse(text.replaceAll("[?|][^?|]*$", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "verbus:udp?endpoint=h:1|reliable=false",
                "verbus:udp?endpoint=h:1|cc=cubic",
                "verbus:udp?endpoint=h:1|gtag=7",
                "verbus:udp?endpoint=h:1|nak-delay=1ms",
                "verbus:udp?endpoint=h:1|group=true",
                "verbus:rdma?endpoint=h:1|gtag=7",
                "verbus:rdma?endpoint=h:1|window=64k"
            })
    void ignoresSubscriptionKeysOnPublication(String text) {
        ChannelUri channel = ChannelUri.parse(text);
        channel.checkPublishable();
        assertEquals(withoutLastKey(text), DerivedChannels.forPublication(channel));
        assertSame(channel, DerivedChannels.forSubscription(channel));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "verbus:udp?endpoint=h:1|mtu=4k|window=1m|ttl=3|tether=false|session-id=7|alias=a",
                "verbus:rdma?endpoint=h:1|term-length=1m|interface=10.0.0.1|window=1m|device=rxe0",
                "verbus:ipc?term-length=1m|tether=false|rejoin=false|untethered-linger-timeout=1s"
            })
    void acceptsSameChannelForBothEnds(String text) {
        ChannelUri channel = ChannelUri.parse(text);
        ChannelUri publication = DerivedChannels.forPublication(channel);
        ChannelUri subscription = DerivedChannels.forSubscription(channel);
        publication.checkPublishable();
        subscription.checkSubscribable();
        assertFalse(publication.toString().contains("tether=false"));
        assertFalse(subscription.hasTermLength());
        assertFalse(subscription.hasMtu());
        assertEquals(channel.sessionId(), publication.sessionId());
        assertEquals(channel.window(), subscription.window());
        assertEquals(channel.alias(), subscription.alias());
    }

    @Test
    void keepsAllKeysOfAeronChannelForBothEnds() {
        ChannelUri channel = ChannelUri.parse("aeron:udp?endpoint=h:1|mtu=4k|tether=false");
        assertSame(channel, DerivedChannels.forPublication(channel));
        assertSame(channel, DerivedChannels.forSubscription(channel));
    }

    @Test
    void carriesAeronUdpChannelsOverRdma() {
        ChannelUri carried =
                DerivedChannels.overRdma(
                        ChannelUri.parse(
                                "aeron:udp?control=h:1|control-mode=dynamic|fc=min|ttl=3"));
        assertEquals("aeron:rdma?control=h:1|control-mode=dynamic|fc=min", carried.toString());
        carried.checkPublishable();
        ChannelUri from = ChannelUri.parse("aeron:udp?endpoint=h:1|control=c:2|eos=false");
        assertEquals("c", DerivedChannels.overRdma(from).sourceHost());
        DerivedChannels.overRdma(from).checkPublishable();
        assertFalse(DerivedChannels.overRdma(from).tellsEnd());
        ChannelUri untethered =
                ChannelUri.parse(
                        "aeron:udp?endpoint=h:1|tether=false|rejoin=false"
                                + "|untethered-window-limit-timeout=50000000"
                                + "|untethered-linger-timeout=25ms"
                                + "|untethered-resting-timeout=444s");
        assertEquals(untethered.tether(), DerivedChannels.overRdma(untethered).tether());
        ChannelUri received =
                ChannelUri.parse("aeron:udp?endpoint=h:1|channel-rcv-ts-offset=reserved");
        assertThrows(UnsupportedChannelException.class, () -> DerivedChannels.overRdma(received));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            nullValues = "none",
            value = {
                "control-mode=manual|interface=a; endpoint=h:1; a",
                "control-mode=manual|interface=a:7; endpoint=h:1; a",
                "control-mode=manual|interface=10.1.0.1/16; endpoint=h:1; 10.1.0.1/16",
                "control-mode=manual|control=c:0; endpoint=h:1; c",
                "control-mode=manual|control=c:0|interface=a; endpoint=h:1; a",
                "control-mode=manual|control=c:0; endpoint=h:1|interface=d; d",
                "control-mode=manual|control=0.0.0.0:0; endpoint=h:1; none",
                "control-mode=manual; endpoint=h:1; none",
            })
    void sendsToDestinationFromAddressOfPublication(
            String publication, String destination, String source) {
        assertEquals(
                source,
                DerivedChannels.sentFromAddressOf(
                                DerivedChannels.overRdma(
                                        ChannelUri.parse("aeron:udp?" + destination)),
                                ChannelUri.parse("aeron:udp?" + publication))
                        .sourceHost());
    }

    @Test
    void derivesReceiverDestinationWithConnectionSettings() {
        ChannelUri receiver =
                DerivedChannels.toReceiver(
                        ChannelUri.parse(
                                "verbus:rdma?control=h:1|control-mode=dynamic|interface=10.0.0.1"
                                        + "|traffic-class=96|term-length=64k|ssc=true"),
                        "[fe80::1]:7400");
        assertEquals(
                "verbus:rdma?endpoint=[fe80::1]:7400|interface=10.0.0.1|traffic-class=96",
                receiver.toString());
        receiver.checkDestination();
    }

    @Test
    void usesAddressOfTaggedChannel() {
        ChannelUri there = ChannelUri.parse("aeron:udp?endpoint=h:1|interface=i|tags=7,8|mtu=2k");
        ChannelUri tagOnly = ChannelUri.parse("aeron:udp?tags=7|session-id=5");
        tagOnly.checkPublishable();
        tagOnly.checkSubscribable();
        assertEquals(
                "aeron:udp?endpoint=h:1|interface=i|session-id=5|tags=7",
                DerivedChannels.atAddressOf(tagOnly, there).toString());
        DerivedChannels.atAddressOf(ChannelUri.parse("aeron:udp?endpoint=h:1|tags=7"), there);
        for (String other :
                List.of(
                        "aeron:udp?endpoint=h:2|tags=7",
                        "aeron:udp?control-mode=manual|tags=7",
                        "aeron:udp?control=c:1|control-mode=dynamic|tags=7")) {
            assertRefused(
                    () -> DerivedChannels.atAddressOf(ChannelUri.parse(other), there),
                    "mismatched endpoint or control");
        }
        assertRefused(() -> ChannelUri.parse("aeron:udp?tags=,8"), "has no endpoint");
    }

    @Test
    void setsTetherDefaultsOnlyForUnsetKeys() {
        ChannelUri bare = ChannelUri.parse("verbus:ipc");
        assertSame(bare, DerivedChannels.withTether(bare, true, true));
        assertEquals(
                "verbus:ipc?tether=false",
                DerivedChannels.withTether(bare, false, true).toString());
        assertEquals(
                "verbus:ipc?rejoin=false",
                DerivedChannels.withTether(bare, true, false).toString());
        ChannelUri said = ChannelUri.parse("aeron:ipc?tether=true|rejoin=true");
        assertSame(said, DerivedChannels.withTether(said, false, false));
    }

    private static void assertRefused(Executable check, String message) {
        BusException refused = assertThrows(BusException.class, check);
        assertTrue(refused.getMessage().contains(message), refused.getMessage());
        assertTrue(refused.getMessage().contains(": "), refused.getMessage());
    }
}
