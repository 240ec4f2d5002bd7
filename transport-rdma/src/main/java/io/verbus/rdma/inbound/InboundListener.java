// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TransportException;

import java.net.InetSocketAddress;
import java.util.OptionalInt;

/**
 * A local address at which peers connect, shared by the subscriptions to it. Conductor's thread.
 */
final class InboundListener implements InboundEndpoint {
    private final InetSocketAddress requested;
    private final Listener listener;
    private OptionalInt window;
    private int users = 1;
    private long closedAtNs;

    InboundListener(InetSocketAddress requested, Listener listener, OptionalInt window) {
        this.requested = requested;
        this.listener = listener;
        this.window = window;
    }

    boolean isAt(InetSocketAddress address) {
        return requested.getPort() != 0 && requested.equals(address);
    }

    boolean uses(Listener other) {
        return listener == other;
    }

    void join(OptionalInt otherWindow) {
        if (window.isPresent() && otherWindow.isPresent() && !window.equals(otherWindow)) {
            throw new TransportException(
                    "window "
                            + otherWindow.getAsInt()
                            + " differs from "
                            + window.getAsInt()
                            + " of another subscription at "
                            + description()
                            + ": use one window for all subscriptions at an endpoint");
        }
        if (otherWindow.isPresent()) {
            window = otherWindow;
        }
        users++;
    }

    /** Leaves; whether that was the last user. */
    boolean leave() {
        users--;
        return users == 0;
    }

    boolean isClosed() {
        return users == 0;
    }

    /** Bytes that may be written past the consumption position of an image: one term by default. */
    int window(int termLength) {
        return (int) Math.min(window.orElse(termLength), 2L * termLength);
    }

    /** Stops listening: nobody subscribes here any more. */
    void close(long nowNs) {
        closedAtNs = nowNs;
        listener.close();
    }

    /** Whether it was closed so long ago. */
    boolean isClosedFor(long durationNs, long nowNs) {
        return isClosed() && nowNs - closedAtNs >= durationNs;
    }

    @Override
    public String description() {
        InetSocketAddress bound = listener.localAddress();
        String host = bound.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + bound.getPort();
    }
}
