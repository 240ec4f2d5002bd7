// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.perf.process.Lab;

import java.util.concurrent.TimeUnit;

/**
 * Raises Aeron's time-outs, so that a demo does not fail on an overloaded machine or an emulated
 * processor.
 */
public final class AeronPatience {
    private AeronPatience() {}

    /**
     * Raises the time-outs; must be called before any class of Aeron is loaded, because they are
     * read once.
     */
    public static void set() {
        long driverMs = TimeUnit.NANOSECONDS.toMillis(BusClient.DRIVER_TIMEOUT_NS);
        System.setProperty("aeron.driver.timeout", Long.toString(driverMs));
        System.setProperty("aeron.archive.message.timeout", "60s");
        System.setProperty("aeron.archive.connect.timeout", "60s");
        System.setProperty("aeron.cluster.session.timeout", "60s");
        if (Lab.isHere()) {
            String idling = LabIdling.class.getName();
            System.setProperty("aeron.archive.idle.strategy", idling);
            System.setProperty("aeron.cluster.idle.strategy", idling);
        }
    }

    /**
     * Restores the default driver time-out of clients; must also be called before any class of
     * Aeron is loaded.
     */
    public static void noticeDeadDrivers() {
        System.clearProperty("aeron.driver.timeout");
    }
}
