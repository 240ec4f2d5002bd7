// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells whether a driver lives, for its clients and for tools. One thread.
 *
 * <p>A driver lives if its heartbeat changes. The time that a heartbeat says is not looked at, as
 * the wall clock may be set: how long a heartbeat has stood still is measured on the monotonic
 * clock, from the look that first saw it so. A driver of which only one heartbeat was seen may
 * therefore be dead, see {@link #hasBeaten}.
 */
public final class DriverPulse {
    /** Heartbeat that a driver leaves behind when it closes in good order. */
    public static final long CLOSED_HEARTBEAT = -1;

    /** What is known of a driver. */
    public enum State {
        /** The heartbeat has changed within the time-out, or is not known to have stopped. */
        ALIVE,
        /** The heartbeat has stood still for the time-out, though the driver's process is there. */
        STALLED,
        /** The driver's process has ended, or its file was deleted or replaced by another's. */
        GONE,
        /** The driver has closed in good order. */
        CLOSED
    }

    private final Path file;
    private final CncFile cnc;
    private final long timeoutNs;
    private final RingBuffer commands;
    private long heartbeat;
    private long changedNs;
    private long lookedNs;
    private boolean hasBeaten;

    /**
     * Takes the first look.
     *
     * @param file of the driver.
     * @param cnc the same, mapped.
     * @param timeoutNs for which the heartbeat of a driver that lives may stand still.
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
     * Looks at the driver. To be called a few times within the time-out at least: after a longer
     * pause, in which the driver may have been stopped with this process, the time begins anew.
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

    /** Whether a look has found another heartbeat than the first: the driver lived since then. */
    public boolean hasBeaten() {
        return hasBeaten;
    }

    /**
     * Looks at the driver, and says what is wrong with it.
     *
     * @param nowNs monotonic time.
     * @return a sentence with the remedy, or null if the driver is alive.
     */
    public String failure(long nowNs) {
        return switch (state(nowNs)) {
            case ALIVE -> null;
            case STALLED, GONE -> silence(nowNs);
            case CLOSED ->
                    driver()
                            + " has been shut down: start a media driver with this driver"
                            + " directory, and connect again";
        };
    }

    /**
     * Says what may be wrong with a driver whose heartbeat has not changed, or not yet.
     *
     * @param nowNs monotonic time.
     * @return a sentence with the remedy.
     */
    public String silence(long nowNs) {
        String silent = "has given no sign of life for " + (nowNs - changedNs) / 1_000_000 + " ms";
        if (!CncFile.belongsTo(file, cnc.spec())) {
            return driver()
                    + " is gone, as its file was deleted or is another driver's: connect again"
                    + " once a media driver runs with this driver directory";
        }
        if (isProcessThere()) {
            return driver()
                    + " has stalled: its process is there, but "
                    + silent
                    + "; continue the process if it is stopped, or see what keeps it from"
                    + " processors and memory, and connect again";
        }
        return driver()
                + " is gone: there is no such process, and it "
                + silent
                + "; start a media driver with this driver directory, and connect again";
    }

    private String driver() {
        return "the media driver of " + file.getParent() + " (pid " + cnc.spec().pid() + ")";
    }

    /** A process that has ended, but was not waited for by its parent, is not there. */
    private boolean isProcessThere() {
        try {
            // proc(5): the state follows the command's name, which may hold anything.
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
