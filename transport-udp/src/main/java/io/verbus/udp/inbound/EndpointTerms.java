// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.channel.ChannelUri;
import io.verbus.memory.LogRoom;
import io.verbus.transport.TransportException;
import io.verbus.udp.common.SocketBuffers;
import io.verbus.udp.common.UdpOptions;

/**
 * Settings that the subscriptions at one endpoint must share, because they share its socket, and
 * senders see a single receiver. Used by the conductor's thread only.
 */
final class EndpointTerms {
    /** Round-trip time to assume until one is measured. */
    private static final long INITIAL_RTT_NS = 100_000;

    /**
     * Bytes by which the first allocated part of an image's log exceeds the window, if the whole
     * log will be allocated.
     */
    private static final int FIRST = 1024 * 1024;

    /**
     * Bytes by which the allocated part of an image's log exceeds the window, if only the used part
     * is allocated: a margin for the time that allocation takes.
     */
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
     * Adds a subscription.
     *
     * @param channel channel of the subscription.
     * @param endpoint address of the endpoint, for the error message.
     * @throws TransportException if its settings differ from those of other subscriptions.
     */
    void join(ChannelUri channel, String endpoint) {
        Integer newWindow =
                channel.window().isPresent() ? (Integer) channel.window().getAsInt() : window;
        Long newTag =
                channel.groupTag().isPresent() ? (Long) channel.groupTag().getAsLong() : groupTag;
        String askedControl = channel.datagrams().congestionControl();
        String newControl = askedControl == null ? congestionControl : askedControl;
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
                            + " bytes of the receive buffer: lower window, or raise so-rcvbuf or"
                            + " udp.receive-buffer");
        }
    }

    private static void check(String key, Object agreed, Object wanted, String endpoint) {
        if (agreed != null && !agreed.equals(wanted)) {
            throw new TransportException(
                    key
                            + " "
                            + wanted
                            + " differs from "
                            + key
                            + " "
                            + agreed
                            + " of another subscription at "
                            + endpoint
                            + ": use the same "
                            + key
                            + " for all subscriptions at an endpoint");
        }
    }

    /** Removes a subscription; returns whether it was the last one. */
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

    /** Returns the number of subscriptions. */
    int users() {
        return users;
    }

    /** Returns the group tag of the subscriptions, or null. */
    Long groupTag() {
        return groupTag == null ? options.group().tag() : groupTag;
    }

    /** Returns the buffer sizes of the socket. */
    SocketBuffers buffers() {
        return buffers;
    }

    /**
     * Returns the receive buffer to request: at least the window, unless a channel specifies a
     * size.
     */
    int preferredBuffer() {
        return isReceiveBufferAsked
                ? buffers.receive()
                : Math.max(buffers.receive(), preferredWindow());
    }

    /**
     * Returns whether a subscription has specified a window that is smaller than a stream's MTU.
     */
    boolean isTooNarrow(int mtu) {
        return window != null && window < mtu;
    }

    /**
     * Returns the number of bytes by which a sender may be ahead, regardless of its term length.
     */
    int preferredWindow() {
        return window == null ? options.window() : window;
    }

    /** Creates the congestion control of an image. */
    CongestionControl congestionControl(int termLength, int mtu) {
        int window = window(termLength, mtu);
        String chosen = congestionControl == null ? options.congestionControl() : congestionControl;
        return chosen.equals("cubic")
                ? new CubicWindow(window, mtu, INITIAL_RTT_NS)
                : new StaticWindow(window);
    }

    /** Returns the maximum number of bytes that may be sent beyond an image's consumed position. */
    int window(int termLength, int mtu) {
        return Math.min(Math.max(preferredWindow(), mtu), termLength / 2);
    }

    /** Returns the number of bytes of an image's log that are in use at a time. */
    long span(int termLength, int mtu) {
        int beside = termLength <= LogRoom.LONGEST_WHOLE ? FIRST : AHEAD;
        return (long) window(termLength, mtu) + beside;
    }
}
