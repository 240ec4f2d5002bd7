// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.channel.ChannelStatus;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.TransportCounter;

import org.agrona.concurrent.status.CountersReader;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides whether a driver is ready. It is ready if its heartbeat is current, its receive addresses
 * are open, its RDMA listeners exist, and the RDMA devices that its connections use are active. If
 * the host has RDMA devices, at least one must be active.
 */
public final class Readiness {
    /** State of a port that can pass traffic: see ibv_query_port(3). */
    private static final long ACTIVE_PORT = 4;

    private Readiness() {}

    /**
     * Returns the problems that keep a driver from being ready.
     *
     * @param look state of the driver.
     * @return a sentence for each problem; empty if the driver is ready.
     */
    public static List<String> lacks(DriverWatch.Look look) {
        return look.isAlive() ? lacks(look.cnc()) : List.of(look.failure());
    }

    private static List<String> lacks(CncFile cnc) {
        List<String> lacks = new ArrayList<>();
        Map<String, Boolean> devices = new TreeMap<>();
        Set<String> used = new TreeSet<>();
        ReadCounters counters = new ReadCounters(cnc);
        CountersReader values = counters.values();
        counters.forEach(
                (id, typeId, key) -> {
                    long value = values.getCounterValue(id);
                    switch (typeId) {
                        case CounterTypes.DEVICE ->
                                devices.merge(
                                        CounterKeys.secondText(key),
                                        value == ACTIVE_PORT,
                                        Boolean::logicalOr);
                        case CounterTypes.CONNECTION -> {
                            if (key.getInt(ConnectionKey.NUMBER)
                                    == ConnectionCounter.STATE.number()) {
                                used.add(CounterKeys.device(key));
                            }
                        }
                        case CounterTypes.RECEIVE_CHANNEL_STATUS -> {
                            if (value != ChannelStatus.ACTIVE) {
                                lacks.add(notOpen(CounterKeys.channel(key), value));
                            }
                        }
                        case CounterTypes.DRIVER -> {
                            if (value > 0
                                    && key.getInt(0)
                                            == TransportCounter.RDMA_LISTENERS_LOST.number()) {
                                lacks.add(lost(value));
                            }
                        }
                        default -> {
                            // Not relevant to readiness.
                        }
                    }
                });
        addDevices(devices, used, lacks);
        return lacks;
    }

    private static String notOpen(String channel, long value) {
        String state =
                value == ChannelStatus.ERRORED
                        ? "has failed"
                        : value == ChannelStatus.CLOSING ? "is being closed" : "is not open yet";
        return "the receive endpoint of " + channel + " " + state + ": see `verbus errors`";
    }

    private static String lost(long listeners) {
        return listeners
                + (listeners == 1 ? " receive endpoint" : " receive endpoints")
                + " cannot listen until the RDMA device is back: see `verbus errors`";
    }

    private static void addDevices(
            Map<String, Boolean> devices, Set<String> used, List<String> lacks) {
        boolean isAnyActive = devices.isEmpty() || devices.containsValue(true);
        devices.forEach(
                (device, isActive) -> {
                    if (!isActive && (!isAnyActive || used.contains(device))) {
                        lacks.add(
                                "the RDMA device "
                                        + device
                                        + " is not active: see `verbus doctor`, and check the cable"
                                        + " and the network interface");
                    }
                });
    }
}
