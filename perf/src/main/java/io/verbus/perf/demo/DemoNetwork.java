// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Addresses of this host between which a demo's messages go.
 *
 * @param transport that carries them.
 * @param device of the first address, or that address.
 * @param addresses at least one.
 */
public record DemoNetwork(DemoTransport transport, String device, List<String> addresses) {
    private static final String LOOPBACK = "127.0.0.1";

    /** Where rxe sends again because the machine was busy, connections fail now and then. */
    private static final String LAB_ACK_TIMEOUT = "1s";

    /** Below the ports that the kernel gives to clients. */
    private static final int FIRST_PORT = 20_000;

    private static final int PORTS = 10_000;

    /** Address of a publisher. */
    public String from() {
        return address(0);
    }

    /** Address of a subscriber: another, if there is one. */
    public String to() {
        return address(1);
    }

    /** Address of a program: programs take turns with the addresses. */
    public String address(int program) {
        return addresses.get(program % addresses.size());
    }

    /**
     * Over UDP loopback, unless addresses are given. Over RDMA those of the lab's devices; else
     * those of the host that are in one subnet.
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
        return new DemoNetwork(DemoTransport.UDP, from, List.of(from, to));
    }

    private static DemoNetwork rdma(String... addresses) throws IOException, DemoException {
        for (RdmaInterface port : RdmaInterface.find()) {
            if (port.address().equals(addresses[0])) {
                return new DemoNetwork(DemoTransport.RDMA, port.device(), List.of(addresses));
            }
        }
        throw new DemoException(
                "no RDMA device that is up has the address "
                        + addresses[0]
                        + ": `rdma link` and `ip address` tell which there are");
    }

    private static DemoNetwork findRdma() throws IOException, DemoException {
        List<String> ends = endsOfLab();
        if (ends.size() > 1) {
            return rdma(ends.toArray(String[]::new));
        }
        List<RdmaInterface> ports = RdmaInterface.find();
        if (ports.isEmpty()) {
            return null;
        }
        RdmaInterface first = ports.getFirst();
        Set<String> devices = new HashSet<>();
        List<String> addresses = new ArrayList<>();
        for (RdmaInterface port : ports) {
            if (port.isInSubnetOf(first) && devices.add(port.device())) {
                addresses.add(port.address());
            }
        }
        return new DemoNetwork(DemoTransport.RDMA, first.device(), List.copyOf(addresses));
    }

    private static List<String> endsOfLab() {
        List<String> ends = new ArrayList<>();
        for (int end = 1; ; end++) {
            String address = System.getenv("VERBUS_LAB_ADDR" + end);
            if (address == null) {
                return ends;
            }
            ends.add(address);
        }
    }

    /**
     * What a driver needs to be told so that {@code aeron:udp} channels between the addresses are
     * carried by the transport, and begin at the driver's own.
     *
     * @param address of the driver.
     * @return arguments of a {@link DriverProcess}.
     */
    public List<String> driverOptions(String address) {
        if (transport != DemoTransport.RDMA) {
            return List.of();
        }
        List<String> options = new ArrayList<>();
        options.add("rdma.networks=" + String.join(",", addresses));
        options.add("rdma.interface=" + address);
        if (DemoLab.isHere()) {
            options.add("rdma.ack-timeout=" + LAB_ACK_TIMEOUT);
        }
        return options;
    }

    /** The first of some ports in a row that are most likely free. */
    public static int freePort(int count) {
        return ThreadLocalRandom.current().nextInt(FIRST_PORT, FIRST_PORT + PORTS - count);
    }
}
