// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.rails;

import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoTransport;
import io.verbus.perf.process.Lab;

import java.util.ArrayList;
import java.util.List;

/**
 * One of the two networks that carry the stream.
 *
 * @param number number of the rail, from 1.
 * @param transport transport of the stream.
 * @param from address of the publishing driver.
 * @param to address of the subscribing driver.
 * @param port port at which the subscribing driver receives.
 * @param end end of the lab's wire that a cut isolates; 0 outside the lab.
 */
record Rail(int number, DemoTransport transport, String from, String to, int port, int end) {
    private static final int RAILS = 2;
    private static final List<String> LOOPBACK = List.of("127.0.0.1", "127.0.0.2");

    /**
     * Returns the rails over a network: from the first address to the second and from the third to
     * the fourth, if there are as many; else each from an address to itself.
     */
    static List<Rail> over(DemoNetwork network) {
        List<String> addresses = network.addresses();
        if (network.transport() == DemoTransport.UDP && addresses.get(0).equals(addresses.get(1))) {
            addresses = LOOPBACK;
        }
        boolean isFourFold = addresses.size() >= 2 * RAILS;
        int port = DemoNetwork.freePort(RAILS);
        List<Rail> rails = new ArrayList<>();
        for (int i = 0; i < RAILS; i++) {
            int from = isFourFold ? 2 * i : i % addresses.size();
            int to = isFourFold ? 2 * i + 1 : from;
            int end = isFourFold && Lab.isHere() ? to + 1 : 0;
            rails.add(
                    new Rail(
                            i + 1,
                            network.transport(),
                            addresses.get(from),
                            addresses.get(to),
                            port + i,
                            end));
        }
        return rails;
    }

    /** Returns whether the rail can be cut off its network, as in the lab. */
    boolean canBeCut() {
        return end > 0;
    }

    /** Returns the host and port at which the subscribing driver receives. */
    String endpoint() {
        return to + ":" + port;
    }

    /** Returns the channel of the subscription's destination. */
    String received() {
        return "verbus:" + transport + "?endpoint=" + endpoint();
    }

    /** Returns the channel of the publication's destination. */
    String sent() {
        return transport == DemoTransport.RDMA ? received() + "|interface=" + from : received();
    }
}
