// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.perf.process.Lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Addresses of this host between which a demo sends its messages.
 *
 * @param transport transport of the messages.
 * @param device RDMA device of the first address, or that address.
 * @param addresses addresses, at least one.
 */
public record DemoNetwork(DemoTransport transport, String device, List<String> addresses) {
    private static final String LOOPBACK = "127.0.0.1";

    /**
     * ACK time-out for rxe, whose connections occasionally fail when a busy machine causes
     * retransmits.
     */
    private static final String LAB_ACK_TIMEOUT = "1s";

    /** Below the kernel's range of ephemeral ports. */
    private static final int FIRST_PORT = 20_000;

    private static final int PORTS = 10_000;

    /** Returns the address of a publisher. */
    public String from() {
        return address(0);
    }

    /** Returns the address of a subscriber: a second one, if available. */
    public String to() {
        return address(1);
    }

    /** Returns the address of a program; programs alternate between the addresses. */
    public String address(int program) {
        return addresses.get(program % addresses.size());
    }

    /**
     * Finds addresses: the given ones; else loopback for UDP, and for RDMA the lab's devices or the
     * host's devices in one subnet.
     *
     * @param from first address, or null.
     * @param to second address, or null if {@code from} is.
     * @return the network, or null for RDMA if this host has no RDMA device.
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
                    "cannot list the RDMA devices ("
                            + e.getMessage()
                            + "): give their addresses with --from and --to",
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
                "no active RDMA device has the address "
                        + addresses[0]
                        + ": choose an address that `rdma link` and `ip address` show");
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
     * Returns the driver options that make the transport carry {@code aeron:udp} channels between
     * the addresses, from the driver's own address.
     *
     * @param address address of the driver.
     * @return arguments of a {@link DemoDriver}.
     */
    public List<String> driverOptions(String address) {
        if (transport != DemoTransport.RDMA) {
            return List.of();
        }
        List<String> options = new ArrayList<>();
        options.add("rdma.networks=" + String.join(",", addresses));
        options.add("rdma.interface=" + address);
        if (Lab.isHere()) {
            options.add("rdma.ack-timeout=" + LAB_ACK_TIMEOUT);
        }
        return options;
    }

    /** Returns the first of {@code count} consecutive ports that are likely to be free. */
    public static int freePort(int count) {
        return ThreadLocalRandom.current().nextInt(FIRST_PORT, FIRST_PORT + PORTS - count);
    }
}
