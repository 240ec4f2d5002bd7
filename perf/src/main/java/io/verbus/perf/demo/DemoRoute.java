// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.List;

/**
 * Route of the demo's messages.
 *
 * @param transport transport of the messages.
 * @param device RDMA device, address of the network interface, or {@code shared-memory}.
 * @param publication channel of the publisher.
 * @param subscription channel of the subscriber.
 * @param peers comma-separated addresses of the drivers.
 */
record DemoRoute(
        DemoTransport transport,
        String device,
        String publication,
        String subscription,
        String peers) {
    /** Returns the additional arguments that let each driver accept the other's connections. */
    List<String> driverOptions() {
        return transport == DemoTransport.RDMA ? List.of("rdma.allow=" + peers) : List.of();
    }

    /** Describes the transport and addresses in one sentence. */
    String description() {
        return switch (transport) {
            case IPC -> "messages go through the shared memory of one driver";
            case UDP -> "messages are sent over UDP on channel " + publication;
            case RDMA -> "RDMA device " + device + " sends the messages on channel " + publication;
        };
    }

    /** Returns the same route with the channels of a client library. */
    DemoRoute of(DemoClient client) {
        return new DemoRoute(
                transport,
                device,
                withScheme(client.scheme(), publication),
                withScheme(client.scheme(), subscription),
                peers);
    }

    private static String withScheme(String scheme, String channel) {
        return scheme + channel.substring(channel.indexOf(':'));
    }

    /** Creates a route through one driver's shared memory. */
    static DemoRoute ipc() {
        return new DemoRoute(DemoTransport.IPC, "shared-memory", "verbus:ipc", "verbus:ipc", "");
    }

    /** Creates a route from one address of this host to another, or to the same one. */
    static DemoRoute over(DemoNetwork network) {
        String channel =
                "verbus:"
                        + network.transport().media()
                        + "?endpoint="
                        + network.to()
                        + ":"
                        + DemoNetwork.freePort(1);
        return new DemoRoute(
                network.transport(),
                network.device(),
                channel + "|interface=" + network.from(),
                channel,
                String.join(",", network.addresses()));
    }
}
