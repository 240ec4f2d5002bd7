// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.TransportException;
import io.verbus.udp.common.UdpOptions;

/**
 * What the subscriptions at one endpoint have agreed upon: they share its socket, and a sender sees
 * one receiver. Conductor's thread, but for what images ask when they are made.
 */
final class EndpointTerms {
    /** Round trip time until one is measured. */
    private static final long INITIAL_RTT_NS = 100_000;

    private final UdpOptions options;
    private Integer window;
    private Boolean reliable;
    private String congestionControl;
    private Long groupTag;
    private int users;

    EndpointTerms(UdpOptions options) {
        this.options = options;
    }

    /**
     * A subscription comes.
     *
     * @param channel of the subscription.
     * @param endpoint for people.
     * @throws TransportException if it wants the endpoint to be other than those before.
     */
    void join(ChannelUri channel, String endpoint) {
        Integer newWindow =
                channel.window().isPresent() ? (Integer) channel.window().getAsInt() : window;
        Boolean newReliable = channel.hasReliable() ? (Boolean) channel.isReliable() : reliable;
        Long newTag =
                channel.groupTag().isPresent() ? (Long) channel.groupTag().getAsLong() : groupTag;
        String newControl =
                channel.congestionControl() == null
                        ? congestionControl
                        : channel.congestionControl();
        check("cc", congestionControl, newControl, endpoint);
        check("window", window, newWindow, endpoint);
        check("reliable", reliable, newReliable, endpoint);
        check("gtag", groupTag, newTag, endpoint);
        window = newWindow;
        reliable = newReliable;
        congestionControl = newControl;
        groupTag = newTag;
        users++;
    }

    private static void check(String key, Object agreed, Object wanted, String endpoint) {
        if (agreed != null && !agreed.equals(wanted)) {
            throw new TransportException(
                    key
                            + " "
                            + wanted
                            + " differs from "
                            + agreed
                            + " of another subscription at "
                            + endpoint
                            + ": use one "
                            + key
                            + " for all subscriptions at an endpoint");
        }
    }

    /** A subscription goes; whether it was the last. */
    boolean leave() {
        users--;
        if (users > 0) {
            return false;
        }
        window = null;
        reliable = null;
        congestionControl = null;
        groupTag = null;
        return true;
    }

    /** Subscriptions that are there. */
    int users() {
        return users;
    }

    boolean isReliable() {
        return reliable == null || reliable;
    }

    /** Tag of the subscriptions, or null. */
    Long groupTag() {
        return groupTag;
    }

    /** Bytes that a sender may be ahead, whatever its term length. */
    int preferredWindow() {
        return window == null ? options.window() : window;
    }

    /** What decides how far the sender of an image may be ahead. */
    CongestionControl congestionControl(int termLength, int mtu) {
        int window = window(termLength, mtu);
        String chosen = congestionControl == null ? options.congestionControl() : congestionControl;
        return chosen.equals("cubic")
                ? new CubicWindow(window, mtu, INITIAL_RTT_NS)
                : new StaticWindow(window);
    }

    /** Bytes that may be sent past the consumption position of an image, at most. */
    int window(int termLength, int mtu) {
        return Math.min(Math.max(preferredWindow(), mtu), termLength / 2);
    }
}
