// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.DriverPulse;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LossReport;
import io.verbus.directory.DirectoryTrust;
import io.verbus.memory.JvmFlags;

import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Option for the driver directory that a tool inspects. */
final class DirectoryOption {
    /**
     * Time to wait for a heartbeat. A Verbus driver sends a heartbeat every 10 ms; an Aeron driver,
     * every second.
     */
    private static final long PULSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(3);

    private static final long PULSE_STEP_NS = TimeUnit.MILLISECONDS.toNanos(5);

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "driver directory [$VERBUS_DIR, $AERON_DIR, or /dev/shm/aeron-USER]")
    private Path directory;

    @Option(
            names = "--directory-owner",
            paramLabel = "USER",
            description =
                    "trusts a driver that runs as this user, in addition to the current user and"
                            + " root [$VERBUS_DIRECTORY_OWNER, or none]")
    private String owner;

    @Option(
            names = "--directory-group",
            paramLabel = "GROUP",
            description =
                    "accepts driver files that this group can write, in addition to the group of"
                            + " this process [$VERBUS_DIRECTORY_GROUP, or none]")
    private String group;

    /**
     * Maps the CnC file of the driver, even if the driver is dead.
     *
     * @throws BusException if there is none, or the JVM lacks a flag.
     */
    CncFile map() {
        JvmFlags.check();
        Path file = directory().resolve(CncFile.NAME);
        if (Files.notExists(file)) { // if this check fails, mapping the file reports why
            throw notRunning("there is no driver in " + directory());
        }
        return CncFile.mapToRead(file, trust());
    }

    /**
     * Maps the loss report of the driver, even if the driver is dead.
     *
     * @throws BusException if there is none.
     */
    LossReport mapLosses() {
        return LossReport.map(directory().resolve(LossReport.NAME), trust());
    }

    /**
     * Maps the latency file of the driver, even if the driver is dead.
     *
     * @throws BusException if there is none, because the driver does not sample.
     */
    LatencyFile mapLatency() {
        LatencyFile file = LatencyFile.map(directory().resolve(LatencyFile.NAME), trust());
        if (file == null) {
            throw new BusException(
                    "the driver in "
                            + directory()
                            + " does not sample latency: start it with"
                            + " --latency-samples-per-second 10");
        }
        return file;
    }

    DirectoryTrust trust() {
        BusContext context = new BusContext();
        if (owner != null) {
            context.directoryOwner(owner);
        }
        if (group != null) {
            context.directoryGroup(group);
        }
        return context.trust();
    }

    /** Returns whether the user has given the option. */
    boolean isGiven() {
        return directory != null;
    }

    Path directory() {
        return directory != null ? directory : Path.of(BusContext.defaultDirectoryName());
    }

    /**
     * Waits for a heartbeat of the driver.
     *
     * @throws BusException if there is no heartbeat; the message says whether the driver has
     *     stalled, died or closed.
     */
    void checkRunning(CncFile cnc) {
        long start = System.nanoTime();
        DriverPulse pulse =
                new DriverPulse(directory().resolve(CncFile.NAME), cnc, PULSE_TIMEOUT_NS, start);
        while (!pulse.hasBeaten()) {
            String failure = pulse.failure(System.nanoTime());
            if (failure != null) {
                throw new BusException(failure);
            }
            LockSupport.parkNanos(PULSE_STEP_NS);
        }
    }

    private BusException notRunning(String what) {
        return new BusException(
                what + ": start one with `verbus driver --dir " + directory() + "`");
    }
}
