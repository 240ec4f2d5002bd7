// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.aeron.cluster.service.Cluster;
import io.verbus.perf.demo.AeronPatience;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.samples.cluster.ClusterMembers;
import io.verbus.samples.cluster.ClusterNode;
import io.verbus.samples.cluster.MatchingEngine;
import io.verbus.samples.cluster.OrderMatchingService;
import io.verbus.transport.TransportProvider;

import org.agrona.IoUtil;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Training workload for the ahead-of-time cache of the processes of {@code verbus demo cluster}: a
 * cluster of one member and its client in one process. The cache stores the loaded classes.
 */
public final class ClusterTraining {
    private static final String HOST = "127.0.0.1";
    private static final int PORTS = 10;
    private static final String ORDERS = "2000";
    private static final String RATE = "1000";

    private ClusterTraining() {}

    /** Runs the workload, and exits as the demo's programs do. */
    public static void main(String[] args) throws IOException, DemoException, InterruptedException {
        AeronPatience.set();
        prepareRdma();
        Path folder = Files.createTempDirectory("verbus-training-");
        Path driver = Path.of("/dev/shm/verbus-training-" + UUID.randomUUID());
        ClusterMembers members = new ClusterMembers(List.of(HOST), DemoNetwork.freePort(PORTS));
        try (ClusterNode node =
                new ClusterNode(
                        ClusterNode.driver(driver).build(),
                        members,
                        0,
                        folder,
                        TimeUnit.SECONDS.toNanos(5),
                        new Listener())) {
            OrderSender.send(
                    new String[] {
                        driver.toString(),
                        members.forClients(),
                        "aeron:udp?endpoint=" + HOST + ":0",
                        ORDERS,
                        RATE
                    },
                    null);
            node.takeSnapshot();
        } finally {
            IoUtil.delete(folder.toFile(), true);
        }
        System.exit(0);
    }

    /** Links the verbs libraries, which is the slowest step on an emulated processor. */
    private static void prepareRdma() {
        for (TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            try {
                provider.prepare();
            } catch (RuntimeException e) {
                System.err.println(e.getMessage()); // this host does not have the libraries
            }
        }
    }

    private static final class Listener implements OrderMatchingService.Listener {
        @Override
        public void onRole(Cluster.Role role) {
            System.out.println(role);
        }

        @Override
        public void onEnd(String part) {
            System.out.println(part + " has ended");
        }

        @Override
        public void onState(MatchingEngine.State state) {
            System.out.println(BookState.toWords(state));
        }

        @Override
        public void onSnapshot(MatchingEngine.State state) {
            System.out.println(state);
        }
    }
}
