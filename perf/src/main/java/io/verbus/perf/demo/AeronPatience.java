// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.concurrent.TimeUnit;

/**
 * Lets Aeron's classes wait longer than they do by default, as an overloaded machine or an emulated
 * processor is no reason for a demo to fail.
 */
public final class AeronPatience {
    private AeronPatience() {}

    /** To be called before any class of Aeron's is used: they read it once. */
    public static void set() {
        long driverMs = TimeUnit.NANOSECONDS.toMillis(BusClient.DRIVER_TIMEOUT_NS);
        System.setProperty("aeron.driver.timeout", Long.toString(driverMs));
        System.setProperty("aeron.archive.message.timeout", "60s");
        System.setProperty("aeron.archive.connect.timeout", "60s");
        System.setProperty("aeron.cluster.session.timeout", "60s");
        if (DemoLab.isHere()) {
            String idling = LabIdling.class.getName();
            System.setProperty("aeron.archive.idle.strategy", idling);
            System.setProperty("aeron.cluster.idle.strategy", idling);
        }
    }

    /** Lets a client give up its driver as soon as it does by default; to be called likewise. */
    public static void noticeDeadDrivers() {
        System.clearProperty("aeron.driver.timeout");
    }
}
