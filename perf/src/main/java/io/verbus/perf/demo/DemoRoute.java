// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What carries the demo's messages.
 *
 * @param transport that is used.
 * @param device that carries them, the address of the network interface that does, or {@code
 *     shared-memory}.
 * @param publication channel of the publisher.
 * @param subscription channel of the subscriber.
 */
record DemoRoute(DemoTransport transport, String device, String publication, String subscription) {
    /** Below the ports that the kernel gives to clients. */
    private static final int FIRST_PORT = 20_000;

    private static final int PORTS = 10_000;

    /** For people: what carries the messages, and between which addresses. */
    String description() {
        return switch (transport) {
            case IPC -> "messages go through the shared memory of one driver";
            case UDP -> "UDP carries the messages, " + publication;
            case RDMA -> "RDMA device " + device + " carries the messages, " + publication;
        };
    }

    /** The same, with channels as a client writes them. */
    DemoRoute of(DemoClient client) {
        return new DemoRoute(
                transport,
                device,
                withScheme(client.scheme(), publication),
                withScheme(client.scheme(), subscription));
    }

    private static String withScheme(String scheme, String channel) {
        return scheme + channel.substring(channel.indexOf(':'));
    }

    /** Shared memory, through one driver. */
    static DemoRoute ipc() {
        return new DemoRoute(DemoTransport.IPC, "shared-memory", "verbus:ipc", "verbus:ipc");
    }

    /** From one address of this host to another, or the same. */
    static DemoRoute udp(String from, String to) {
        return network(DemoTransport.UDP, from, from, to);
    }

    /** From one address of an RDMA device of this host to another, or the same. */
    static DemoRoute rdma(String from, String to) throws IOException, DemoException {
        for (RdmaInterface port : RdmaInterface.find()) {
            if (port.address().equals(from)) {
                return network(DemoTransport.RDMA, port.device(), from, to);
            }
        }
        throw new DemoException(
                "no RDMA device that is up has the address "
                        + from
                        + ": `rdma link` and `ip address` tell which there are");
    }

    private static DemoRoute network(
            DemoTransport transport, String device, String from, String to) {
        int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, FIRST_PORT + PORTS);
        String channel = "verbus:" + transport.media() + "?endpoint=" + to + ":" + port;
        return new DemoRoute(transport, device, channel + "|interface=" + from, channel);
    }

    /**
     * The lab's two devices; else two of the host that are in one subnet; else one for both ends.
     *
     * @return the route, or null if this host has no RDMA device.
     */
    static DemoRoute findRdma() throws IOException, DemoException {
        String from = System.getenv("VERBUS_LAB_ADDR1");
        String to = System.getenv("VERBUS_LAB_ADDR2");
        if (from != null && to != null) {
            return rdma(from, to);
        }
        List<RdmaInterface> ports = RdmaInterface.find();
        if (ports.isEmpty()) {
            return null;
        }
        RdmaInterface first = ports.getFirst();
        RdmaInterface second = first;
        for (RdmaInterface port : ports) {
            if (!port.device().equals(first.device()) && port.isInSubnetOf(first)) {
                second = port;
                break;
            }
        }
        return network(DemoTransport.RDMA, first.device(), first.address(), second.address());
    }
}
