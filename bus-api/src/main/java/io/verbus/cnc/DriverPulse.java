// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Watches whether a driver is alive, for its clients and for tools. Not thread-safe.
 *
 * <p>A driver is alive while its heartbeat changes. The time in the heartbeat is ignored, because
 * the wall clock may be set; how long the heartbeat has stalled is measured on the monotonic clock,
 * from the first check that saw its current value. Only messages use the heartbeat's time. A driver
 * with only one observed heartbeat may therefore be dead, see {@link #hasBeaten}.
 */
public final class DriverPulse {
    /** Heartbeat of a driver after an orderly shutdown. */
    public static final long CLOSED_HEARTBEAT = -1;

    /** The state of a driver. */
    public enum State {
        /** The heartbeat has changed within the timeout, or is not known to have stopped. */
        ALIVE,
        /** The heartbeat has stalled for the timeout, but the driver's process exists. */
        STALLED,
        /** The driver's process has ended, or its file was deleted or replaced. */
        GONE,
        /** The driver has shut down in an orderly manner. */
        CLOSED
    }

    /** Time that a starting driver has for its first heartbeat before it is called stalled. */
    private static final long STARTING_MS = 1_000;

    private final Path file;
    private final CncFile cnc;
    private final long timeoutNs;
    private final RingBuffer commands;
    private long heartbeat;
    private long changedNs;
    private long lookedNs;
    private boolean hasBeaten;

    /**
     * Creates a watch, and makes the first check.
     *
     * @param file file of the driver.
     * @param cnc the same file, mapped.
     * @param timeoutNs how long the heartbeat of a live driver may stall.
     * @param nowNs monotonic time.
     */
    public DriverPulse(Path file, CncFile cnc, long timeoutNs, long nowNs) {
        this.file = file;
        this.cnc = cnc;
        this.timeoutNs = timeoutNs;
        commands = new ManyToOneRingBuffer(cnc.toDriver());
        heartbeat = commands.consumerHeartbeatTime();
        changedNs = nowNs;
        lookedNs = nowNs;
    }

    /**
     * Checks the driver. Call several times within the timeout: after a longer pause, during which
     * the driver may have been suspended together with this process, the measured time restarts.
     *
     * @param nowNs monotonic time.
     */
    public State state(long nowNs) {
        long sinceNs = nowNs - lookedNs;
        lookedNs = nowNs;
        long now = commands.consumerHeartbeatTime();
        if (now == CLOSED_HEARTBEAT) {
            return State.CLOSED;
        }
        if (!CncFile.belongsTo(file, cnc.spec())) {
            return State.GONE;
        }
        if (now != heartbeat) {
            heartbeat = now;
            hasBeaten = true;
            changedNs = nowNs;
        } else if (sinceNs > timeoutNs) {
            changedNs = nowNs;
        }
        if (nowNs - changedNs <= timeoutNs) {
            return State.ALIVE;
        }
        return isProcessThere() ? State.STALLED : State.GONE;
    }

    /**
     * Returns whether the heartbeat has been seen to change, so that the driver was alive after the
     * first check.
     */
    public boolean hasBeaten() {
        return hasBeaten;
    }

    /**
     * Checks the driver, and explains what is wrong with it.
     *
     * @param nowNs monotonic time.
     * @return a sentence with the remedy, or null if the driver is alive.
     */
    public String failure(long nowNs) {
        return switch (state(nowNs)) {
            case ALIVE -> null;
            case STALLED, GONE -> silence(nowNs, true);
            case CLOSED ->
                    driver()
                            + " has been shut down: start a media driver with this driver"
                            + " directory, and connect again";
        };
    }

    /**
     * Explains what may be wrong with a driver whose heartbeat has not changed, or not yet. A
     * driver that has been silent for less than a second may still be starting.
     *
     * @param nowNs monotonic time.
     * @return a sentence with the remedy.
     */
    public String silence(long nowNs) {
        return silence(nowNs, hasBeaten);
    }

    /**
     * Returns how long the driver has been silent, in ms: the heartbeat's age on the wall clock,
     * which also covers the time before this watch, unless that clock has been set.
     */
    private long silentMs(long nowNs) {
        long watchedMs = (nowNs - changedNs) / 1_000_000;
        long ageMs = System.currentTimeMillis() - heartbeat;
        boolean isPlausible = heartbeat >= cnc.spec().startMs() && heartbeat > 0;
        return isPlausible ? Math.max(watchedMs, ageMs) : watchedMs;
    }

    private String silence(long nowNs, boolean isKnownToRun) {
        long silentMs = silentMs(nowNs);
        String silent = "no heartbeat has arrived for " + silentMs + " ms";
        if (!CncFile.belongsTo(file, cnc.spec())) {
            return driver()
                    + " is gone: its file was deleted, or replaced by another driver; connect again"
                    + " once a media driver runs with this driver directory";
        }
        if (isProcessThere() && !isKnownToRun && silentMs < STARTING_MS) {
            return driver()
                    + " has shown no heartbeat yet: it may still be starting; check that it is"
                    + " running, and connect again";
        }
        if (isProcessThere()) {
            return driver()
                    + " has stalled: its process exists, but "
                    + silent
                    + "; if the process is stopped, resume it; otherwise find out why it lacks CPU"
                    + " time or memory; then connect again";
        }
        return driver()
                + " is gone: its process no longer exists, and "
                + silent
                + "; start a media driver with this driver directory, and connect again";
    }

    private String driver() {
        return "the media driver of " + file.getParent() + " (pid " + cnc.spec().pid() + ")";
    }

    /** Returns false also for a zombie, whose parent has not waited for it. */
    private boolean isProcessThere() {
        try {
            // proc(5): the state follows the command's name, which may contain any character.
            String stat =
                    Files.readString(
                            Path.of("/proc/" + cnc.spec().pid() + "/stat"),
                            StandardCharsets.ISO_8859_1);
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state != 'Z' && state != 'X';
        } catch (IOException e) {
            return false;
        }
    }
}
