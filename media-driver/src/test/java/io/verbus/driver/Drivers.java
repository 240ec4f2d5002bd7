// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.concurrent.errors.ErrorLogReader;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Drivers and buses for tests: small, and tolerant of a busy machine. */
public final class Drivers {
    public static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(4);

    private Drivers() {}

    /**
     * Returns a unique directory. If its driver is killed, no embedded driver of another test
     * removes it.
     */
    public static Path keptPath() {
        Path unique = DriverDirectory.uniquePath();
        return unique.resolveSibling("kept-" + unique.getFileName());
    }

    public static DriverConfigBuilder config() {
        return DriverConfig.builder()
                .threading(ThreadingMode.SHARED)
                .termLength(64 * 1024)
                .mtu(1408)
                .clientLivenessTimeoutNs(LIVENESS_NS)
                .lingerNs(TimeUnit.MILLISECONDS.toNanos(50));
    }

    public static BusContext context(MediaDriver driver) {
        return new BusContext()
                .directoryName(driver.directory().toString())
                .keepAliveInterval(java.time.Duration.ofMillis(50))
                .lingerInterval(java.time.Duration.ofMillis(500));
    }

    public static Bus connect(MediaDriver driver) {
        return Bus.connect(context(driver));
    }

    /** The log files of publications and images; a driver may delete one in the meantime. */
    public static Set<Path> logs(MediaDriver driver) {
        Set<Path> all = new HashSet<>();
        for (String folder : List.of(DriverDirectory.PUBLICATIONS, DriverDirectory.IMAGES)) {
            try (Stream<Path> files = Files.list(driver.directory().resolve(folder))) {
                files.forEach(all::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return all;
    }

    /** The entries of the driver's error log. */
    public static List<String> errors(MediaDriver driver) {
        return errors(driver.directory());
    }

    /** The entries of a directory's error log, whether or not its driver runs. */
    static List<String> errors(Path directory) {
        List<String> errors = new ArrayList<>();
        try (CncFile cnc = CncFile.map(directory.resolve(CncFile.NAME))) {
            ErrorLogReader.read(
                    cnc.errorLog(),
                    (count, first, last, text) -> errors.add(text.lines().findFirst().orElse("")));
        }
        return errors;
    }

    public static long counter(Bus bus, SystemCounter counter) {
        return bus.counters().getCounterValue(counter.ordinal());
    }

    /** Counters of a type that are in use. */
    public static int count(Bus bus, int typeId) {
        int[] count = new int[1];
        CountersReader counters = bus.counters();
        counters.forEach(
                (id, type, key, label) -> {
                    if (type == typeId) {
                        count[0]++;
                    }
                });
        return count[0];
    }

    /** Writes to the counters of all subscribers, like a client that owned them. */
    public static void overwritePositions(Bus bus, long position) {
        CountersReader counters = bus.counters();
        counters.forEach(
                (id, type, key, label) -> {
                    if (type == CounterTypes.SUBSCRIBER_POSITION) {
                        counters.valuesBuffer()
                                .putLongRelease(CountersReader.counterOffset(id), position);
                    }
                });
    }

    /** The message of the exception that an action throws. */
    public static String refusal(Runnable action) {
        try {
            action.run();
        } catch (BusException e) {
            return e.getMessage();
        }
        throw new AssertionError("nothing was refused");
    }
}
