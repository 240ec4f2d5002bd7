// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.BusException;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.Idling;
import io.verbus.driver.config.ThreadingMode;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A media driver of the demo, which leaves nothing behind however it is asked to end. It runs on
 * one thread, since two drivers and two clients share what may be two cores.
 */
public final class DriverProcess {
    /** Long, because an overloaded machine is no reason to fail; the demo sees who dies. */
    private static final long CLIENT_LIVENESS_NS = TimeUnit.SECONDS.toNanos(60);

    /** How long the other driver may be silent: long for the same reason. */
    private static final String PEER_LIMIT = "30s";

    private DriverProcess() {}

    /**
     * @param args the driver directory, and options of transports, each {@code NAME=VALUE}.
     */
    public static void main(String[] args) throws InterruptedException {
        DriverConfigBuilder config =
                DriverConfig.builder()
                        .directory(Path.of(args[0]))
                        .threading(ThreadingMode.SHARED)
                        .idling(DemoLab.isHere() ? Idling.SLEEP : Idling.BACKOFF)
                        .clientLivenessTimeoutNs(CLIENT_LIVENESS_NS)
                        .unblockTimeoutNs(2 * CLIENT_LIVENESS_NS)
                        .transportOption("rdma.connect-timeout", PEER_LIMIT)
                        .transportOption("rdma.probe-timeout", PEER_LIMIT);
        for (String option : args) {
            int equals = option.indexOf('=');
            if (equals > 0) {
                config.transportOption(option.substring(0, equals), option.substring(equals + 1));
            }
        }
        try {
            MediaDriver driver = MediaDriver.launch(config.build());
            Runtime.getRuntime().addShutdownHook(new Thread(driver::close, "driver-close"));
        } catch (BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
        ParentLink.open();
        Thread.currentThread().join();
    }
}
