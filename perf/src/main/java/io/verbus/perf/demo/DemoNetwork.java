// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Two addresses of this host, or the same twice, between which a demo's messages go.
 *
 * @param transport that carries them.
 * @param device that does, or the address of the network interface.
 * @param from address of the publisher.
 * @param to address of the subscriber.
 */
public record DemoNetwork(DemoTransport transport, String device, String from, String to) {
    private static final String LOOPBACK = "127.0.0.1";

    /** Below the ports that the kernel gives to clients. */
    private static final int FIRST_PORT = 20_000;

    private static final int PORTS = 10_000;

    /**
     * Over UDP loopback, unless addresses are given. Over RDMA the lab's two devices; else two of
     * the host that are in one subnet; else one for both ends.
     *
     * @param from address, or null.
     * @param to address, or null like the other.
     * @return the network, or null if RDMA is asked for and this host has no RDMA device.
     */
    public static DemoNetwork find(DemoTransport transport, String from, String to)
            throws DemoException {
        if (transport == DemoTransport.UDP) {
            return from == null ? udp(LOOPBACK, LOOPBACK) : udp(from, to);
        }
        try {
            return from == null ? findRdma() : rdma(from, to);
        } catch (IOException e) {
            throw new DemoException(
                    "cannot read which RDMA devices there are ("
                            + e.getMessage()
                            + "): name their addresses with --from and --to",
                    e);
        }
    }

    private static DemoNetwork udp(String from, String to) {
        return new DemoNetwork(DemoTransport.UDP, from, from, to);
    }

    private static DemoNetwork rdma(String from, String to) throws IOException, DemoException {
        for (RdmaInterface port : RdmaInterface.find()) {
            if (port.address().equals(from)) {
                return new DemoNetwork(DemoTransport.RDMA, port.device(), from, to);
            }
        }
        throw new DemoException(
                "no RDMA device that is up has the address "
                        + from
                        + ": `rdma link` and `ip address` tell which there are");
    }

    private static DemoNetwork findRdma() throws IOException, DemoException {
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
        return new DemoNetwork(
                DemoTransport.RDMA, first.device(), first.address(), second.address());
    }

    /**
     * What a driver needs to be told so that {@code aeron:udp} channels between the addresses are
     * carried by the transport.
     *
     * @return arguments of a {@link DriverProcess}.
     */
    public List<String> driverOptions() {
        return transport == DemoTransport.RDMA
                ? List.of("rdma.networks=" + from + "/32," + to + "/32")
                : List.of();
    }

    /** The first of some ports in a row that are most likely free. */
    public static int freePort(int count) {
        return ThreadLocalRandom.current().nextInt(FIRST_PORT, FIRST_PORT + PORTS - count);
    }
}
