// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.FabricSettings;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.transport.TransportException;

import java.util.OptionalInt;

/** Connection options of a channel, which override those of the driver. */
public final class ChannelOptions {
    private ChannelOptions() {}

    /**
     * Returns the options of a channel's connection.
     *
     * @param preset options of the driver.
     * @param channel channel whose keys take precedence.
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
     * Checks that a channel can share a connection or a listener. Options that the channel does not
     * set may have any value.
     *
     * @param has options of the connection or listener.
     * @param channel channel that is to share the connection or listener.
     * @param name description of the connection or listener for messages.
     * @throws TransportException if values differ; the message names the key.
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
                ("channel '%s' sets %s to %s, but %s, which the channel shares with other channels,"
                     + " has %s: use the same value in all these channels, or use another endpoint")
                        .formatted(channel, key, asked, name, has));
    }
}
