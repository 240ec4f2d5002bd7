// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.channel.ChannelUri;
import io.verbus.memory.LogRoom;
import io.verbus.transport.TransportException;
import io.verbus.udp.common.SocketBuffers;
import io.verbus.udp.common.UdpOptions;

/**
 * What the subscriptions at one endpoint have agreed upon: they share its socket, and a sender sees
 * one receiver. Conductor's thread, but for what images ask when they are made.
 */
final class EndpointTerms {
    /** Round trip time until one is measured. */
    private static final long INITIAL_RTT_NS = 100_000;

    /** Memory that an image has beside its window when it begins, if all is taken in the end. */
    private static final int FIRST = 1024 * 1024;

    /** The same if only what is in use is taken: ahead, for the time in which more is taken. */
    private static final int AHEAD = 8 * 1024 * 1024;

    private final UdpOptions options;
    private Integer window;
    private SocketBuffers buffers;
    private boolean isReceiveBufferAsked;
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
        Long newTag =
                channel.groupTag().isPresent() ? (Long) channel.groupTag().getAsLong() : groupTag;
        String newControl =
                channel.congestionControl() == null
                        ? congestionControl
                        : channel.congestionControl();
        check("cc", congestionControl, newControl, endpoint);
        check("window", window, newWindow, endpoint);
        check("gtag", groupTag, newTag, endpoint);
        SocketBuffers newBuffers = buffers == null ? SocketBuffers.of(channel, options) : buffers;
        newBuffers.requireFit(channel, endpoint);
        boolean isAsked = isReceiveBufferAsked || channel.datagrams().receiveBuffer().isPresent();
        if (isAsked || channel.isAeron() && channel.window().isPresent()) {
            checkWindow(channel, newWindow, newBuffers.receive());
        }
        isReceiveBufferAsked = isAsked;
        buffers = newBuffers;
        window = newWindow;
        congestionControl = newControl;
        groupTag = newTag;
        users++;
    }

    private void checkWindow(ChannelUri channel, Integer asked, int buffer) {
        int width = asked == null ? options.window() : asked;
        int wanted = channel.isAeron() ? Math.min(width, channel.termLength() / 2) : width;
        if (wanted > buffer) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has a window of "
                            + wanted
                            + ", more than the "
                            + buffer
                            + " bytes of the receive buffer: lower the window, or raise so-rcvbuf"
                            + " or udp.receive-buffer");
        }
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
        buffers = null;
        isReceiveBufferAsked = false;
        congestionControl = null;
        groupTag = null;
        return true;
    }

    /** Subscriptions that are there. */
    int users() {
        return users;
    }

    /** Tag of the subscriptions, or null. */
    Long groupTag() {
        return groupTag == null ? options.group().tag() : groupTag;
    }

    /** Buffers of the socket. */
    SocketBuffers buffers() {
        return buffers;
    }

    /** Bytes of the receive buffer to ask for: as wide as the window, unless a channel says. */
    int preferredBuffer() {
        return isReceiveBufferAsked
                ? buffers.receive()
                : Math.max(buffers.receive(), preferredWindow());
    }

    /** Whether subscriptions have named a window that a stream's longest frame does not fit. */
    boolean isTooNarrow(int mtu) {
        return window != null && window < mtu;
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

    /** Bytes of an image's log that are in use at a time. */
    long span(int termLength, int mtu) {
        int beside = termLength <= LogRoom.LONGEST_WHOLE ? FIRST : AHEAD;
        return (long) window(termLength, mtu) + beside;
    }
}
