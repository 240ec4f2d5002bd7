// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.FabricSettings;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.transport.TransportException;

import java.util.OptionalInt;

/** What a channel asks of its connection, on top of what the driver has for all of them. */
public final class ChannelOptions {
    private ChannelOptions() {}

    /**
     * The properties of a connection that is made for a channel.
     *
     * @param preset of the driver.
     * @param channel whose keys come first.
     */
    public static ConnectionOptions of(ConnectionOptions preset, ChannelUri channel) {
        FabricSettings asked = channel.fabric();
        return new ConnectionOptions(
                preset.sendDepth(),
                preset.receiveDepth(),
                preset.messageLength(),
                preset.maxInline(),
                asked.retryCount().orElse(preset.retryCount()),
                asked.rnrRetryCount().orElse(preset.rnrRetryCount()),
                asked.ackTimeout().orElse(preset.ackTimeout()),
                asked.trafficClass().orElse(preset.trafficClass()),
                asked.pathMtu().orElse(preset.pathMtu()),
                asked.device() == null ? preset.device() : asked.device());
    }

    /**
     * Checks that a channel can share a connection, or a listener, with others. What it does not
     * ask for it takes as it is.
     *
     * @param has properties of what is shared.
     * @param channel that would share it.
     * @param name of what is shared, for people.
     * @throws TransportException that names the key on which they differ.
     */
    public static void requireShared(ConnectionOptions has, ChannelUri channel, String name) {
        FabricSettings asked = channel.fabric();
        requireSame("traffic-class", asked.trafficClass(), has.trafficClass(), channel, name);
        requireSame("path-mtu", asked.pathMtu(), has.pathMtu(), channel, name);
        requireSame("ack-timeout", asked.ackTimeout(), has.ackTimeout(), channel, name);
        requireSame("retry-count", asked.retryCount(), has.retryCount(), channel, name);
        requireSame("rnr-retry-count", asked.rnrRetryCount(), has.rnrRetryCount(), channel, name);
        if (asked.device() != null && !asked.device().equals(has.device())) {
            throw differs(
                    "device",
                    asked.device(),
                    has.device() == null ? "any" : has.device(),
                    channel,
                    name);
        }
    }

    private static void requireSame(
            String key, OptionalInt asked, int has, ChannelUri channel, String name) {
        if (asked.isPresent() && asked.getAsInt() != has) {
            throw differs(
                    key,
                    Integer.toString(asked.getAsInt()),
                    has == ConnectionOptions.ANY ? "any" : Integer.toString(has),
                    channel,
                    name);
        }
    }

    private static TransportException differs(
            String key, String asked, String has, ChannelUri channel, String name) {
        return new TransportException(
                ("channel '%s' asks for %s %s, but %s, which it would share with others, has %s:"
                                + " use one value for all channels there, or another endpoint")
                        .formatted(channel, key, asked, name, has));
    }
}
