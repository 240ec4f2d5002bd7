// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.Idling;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.perf.process.Lab;
import io.verbus.perf.process.ParentLink;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Media driver of the demo, which deletes its files however the process ends. The driver runs on
 * one thread, because two drivers and two clients may have to share two cores.
 */
final class DemoDriver {
    /**
     * Long, so that the demo does not fail on an overloaded machine; the demo itself notices dead
     * processes.
     */
    private static final long CLIENT_LIVENESS_NS = TimeUnit.SECONDS.toNanos(60);

    /** Maximum silence of the other driver; long for the same reason. */
    private static final String PEER_LIMIT = "30s";

    private DemoDriver() {}

    /**
     * @param args driver directory, then transport options as {@code NAME=VALUE}.
     */
    static void run(String[] args) throws InterruptedException {
        DriverConfigBuilder config =
                DriverConfig.builder()
                        .directory(Path.of(args[0]))
                        .threading(ThreadingMode.SHARED)
                        .idling(Lab.isHere() ? Idling.SLEEP : Idling.BACKOFF)
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
        MediaDriver driver = MediaDriver.launch(config.build());
        Runtime.getRuntime().addShutdownHook(new Thread(driver::close, "driver-close"));
        ParentLink.open();
        Thread.currentThread().join(); // the driver ends with this process's input
    }
}
