// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.UnsupportedChannelException;
import io.verbus.driver.background.Names;
import io.verbus.transport.Networks;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses are literal here, and need no look-up. */
class CarriersTest {
    private final Carriers carriers =
            new Carriers(
                    Networks.of("rdma.networks", "10.1.0.0/16,fd00:1::/32"),
                    new Names(null, null, null, null));

    @ParameterizedTest
    @CsvSource({
        "aeron:udp?endpoint=10.1.2.3:40123|mtu=2k," + " aeron:rdma?endpoint=10.1.2.3:40123|mtu=2k",
        "aeron:udp?endpoint=[fd00:1::5]:1, aeron:rdma?endpoint=[fd00:1::5]:1",
        "aeron:udp?endpoint=10.1.0.1:0, aeron:rdma?endpoint=10.1.0.1:0",
        "aeron:udp?endpoint=10.1.0.1:7|interface=10.1.0.2|ttl=3|cc=cubic|linger=0s|reliable=false,"
                + " aeron:rdma?endpoint=10.1.0.1:7|interface=10.1.0.2",
        "aeron:udp?endpoint=10.1.0.1:7|fc=min|rcv-wnd=64k|ssc=true|alias=x|session-id=3,"
                + " aeron:rdma?endpoint=10.1.0.1:7|rcv-wnd=64k|ssc=true|session-id=3|alias=x",
        "aeron:udp?control-mode=manual|interface=10.1.0.0/16, aeron:rdma?control-mode=manual",
        "aeron:udp?control=10.1.0.1:1|control-mode=dynamic,"
                + " aeron:rdma?control=10.1.0.1:1|control-mode=dynamic",
        "aeron:udp?control=10.1.0.1:1|control-mode=response,"
                + " aeron:rdma?control=10.1.0.1:1|control-mode=response",
        "aeron:udp?endpoint=10.1.0.1:1|control=10.1.0.2:1|eos=false,"
                + " aeron:rdma?endpoint=10.1.0.1:1|control=10.1.0.2:1|eos=false",
        "aeron:udp?control-mode=manual|interface=[fd00:1::]/32, aeron:rdma?control-mode=manual",
        "aeron:udp?control-mode=manual|interface=10.1.0.2|fc=min,"
                + " aeron:rdma?control-mode=manual|fc=min"
    })
    void carriesAddressesOfRdmaNetworksOverRdma(String text, String carried) {
        ChannelUri channel = ChannelUri.parse(text);
        assertEquals(carried, carriers.carried(channel).toString());
        assertEquals("rdma", carriers.media(channel));
        assertEquals(ChannelUri.parse(carried), carriers.carried(channel));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aeron:ipc",
                "aeron:udp?endpoint=10.2.0.1:40123",
                "aeron:udp?endpoint=127.0.0.1:40123",
                "aeron:udp?endpoint=[fd00:2::5]:1",
                "aeron:udp?endpoint=unknown.example:1",
                "aeron:udp?endpoint=224.0.1.1:40456|interface=10.1.0.2",
                "aeron:udp?endpoint=10.2.0.1:1|interface=10.1.0.2",
                "aeron:udp?control=10.2.0.1:1|control-mode=dynamic",
                "aeron:udp?control-mode=manual|interface=10.2.0.0/16",
                "aeron:rdma?endpoint=10.1.2.3:40123",
                "verbus:udp?endpoint=10.1.2.3:40123"
            })
    void leavesOtherChannelsUnchanged(String text) {
        ChannelUri channel = ChannelUri.parse(text);
        assertSame(channel, carriers.carried(channel));
        assertEquals(channel.media(), carriers.media(channel));
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel-rcv-ts-offset", "media-rcv-ts-offset"})
    void rejectsChannelThatRdmaCannotCarry(String key) {
        ChannelUri channel = ChannelUri.parse("aeron:udp?endpoint=10.1.0.1:1|" + key + "=0");
        UnsupportedChannelException refused =
                assertThrows(UnsupportedChannelException.class, () -> carriers.carried(channel));
        assertTrue(refused.getMessage().contains("because its address is in rdma.networks"));
    }

    @Test
    void defersTransportOfManualChannelToDestinations() {
        assertTrue(carriers.isUndecided(ChannelUri.parse("aeron:udp?control-mode=manual")));
        assertFalse(
                carriers.isUndecided(
                        ChannelUri.parse("aeron:udp?control-mode=manual|interface=10.2.0.1")));
        assertFalse(carriers.isUndecided(ChannelUri.parse("verbus:udp?control-mode=manual")));
        Carriers none = new Carriers(Networks.NONE, new Names(null, null, null, null));
        assertFalse(none.isUndecided(ChannelUri.parse("aeron:udp?control-mode=manual")));
    }
}
