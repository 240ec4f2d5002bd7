// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.List;

/**
 * What carries the demo's messages.
 *
 * @param transport that is used.
 * @param device that carries them, the address of the network interface that does, or {@code
 *     shared-memory}.
 * @param publication channel of the publisher.
 * @param subscription channel of the subscriber.
 * @param peers addresses of the drivers, with commas between them.
 */
record DemoRoute(
        DemoTransport transport,
        String device,
        String publication,
        String subscription,
        String peers) {
    /** Arguments of a driver behind its directory: what it needs so that the other may connect. */
    List<String> driverOptions() {
        return transport == DemoTransport.RDMA ? List.of("rdma.allow=" + peers) : List.of();
    }

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
                withScheme(client.scheme(), subscription),
                peers);
    }

    private static String withScheme(String scheme, String channel) {
        return scheme + channel.substring(channel.indexOf(':'));
    }

    /** Shared memory, through one driver. */
    static DemoRoute ipc() {
        return new DemoRoute(DemoTransport.IPC, "shared-memory", "verbus:ipc", "verbus:ipc", "");
    }

    /** From one address of this host to another, or the same. */
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
