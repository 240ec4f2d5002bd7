// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.transport.Option;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;

/**
 * Range of ports for channels that leave the port open as 0, for firewalls that permit only certain
 * ports. Used by the conductor's thread.
 *
 * @param first first port; 0 lets the kernel choose.
 * @param last last port.
 */
public record PortRange(int first, int last) {
    private static final PortRange ANY = new PortRange(0, 0);
    private static final int MAX_PORT = 65_535;
    private static final String RIGHT = "two ports, such as '20000 20100', or empty";

    static final Option<PortRange> SENDER =
            Option.of(
                    "udp.sender-port-range",
                    "",
                    RIGHT,
                    "Range from which the driver chooses a port for publications with port 0 in"
                            + " control.",
                    PortRange::parse);

    static final Option<PortRange> RECEIVER =
            Option.of(
                    "udp.receiver-port-range",
                    "",
                    RIGHT,
                    "Range from which the driver chooses a port for subscriptions with port 0, or"
                            + " without an endpoint.",
                    PortRange::parse);

    static final List<Option<?>> ALL = List.of(SENDER, RECEIVER);

    /** Returns the range for publications. */
    static PortRange sender(TransportSettings settings) {
        return SENDER.read(settings);
    }

    /** Returns the range for subscriptions. */
    static PortRange receiver(TransportSettings settings) {
        return RECEIVER.read(settings);
    }

    private static PortRange parse(String text) {
        if (text.isEmpty()) {
            return ANY;
        }
        String[] ports = text.split(" +");
        if (ports.length != 2) {
            throw new IllegalArgumentException(text);
        }
        PortRange range = new PortRange(Integer.parseInt(ports[0]), Integer.parseInt(ports[1]));
        if (range.first < 1 || range.last < range.first || range.last > MAX_PORT) {
            throw new IllegalArgumentException(text);
        }
        return range;
    }

    /**
     * Opens a socket.
     *
     * @param address address to bind to; port 0 takes a free port of the range.
     * @param opening function that opens a socket at an address, or throws.
     * @throws TransportException if the socket cannot be opened, or no port is free.
     */
    public <T> T open(InetSocketAddress address, Function<InetSocketAddress, T> opening) {
        if (address.getPort() != 0 || first == 0) {
            return opening.apply(address);
        }
        TransportException failure = null;
        for (int port = first; port <= last; port++) {
            try {
                return opening.apply(new InetSocketAddress(address.getAddress(), port));
            } catch (TransportException e) {
                failure = e;
            }
        }
        throw new TransportException(
                "no available ports in range "
                        + first
                        + " "
                        + last
                        + " at "
                        + address.getAddress().getHostAddress()
                        + ", last error: "
                        + failure.getMessage()
                        + "; widen the port range, or specify a port");
    }
}
