// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.cnc.HopRecorder;
import io.verbus.logbuffer.CountedPositions;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogTail;

import org.agrona.concurrent.NanoClock;

/**
 * Samples the time from the moment bytes of an IPC publication are claimed until the slowest
 * subscriber has consumed them. Used by the conductor's thread, whose cycles limit its precision.
 */
public final class ConsumptionHop {
    private static final long NONE = -1;

    private final HopRecorder recorder;
    private final LogBuffers log;
    private final CountedPositions positions;
    private final NanoClock clock;
    private final long intervalNs;
    private long dueNs;

    /** Time of the last check. */
    private long lookedNs;

    /** Tail at the last check for a start; {@link #NONE} if no sample is due or open. */
    private long tail = NONE;

    /**
     * Counter of the slowest subscriber at the last check that found the sample unconsumed; -1 if
     * there was none.
     */
    private int slowest;

    /**
     * @param recorder recorder of the hop.
     * @param log log of the publication.
     * @param positions positions of the publication's subscribers.
     * @param clock conductor's clock, read once per cycle.
     * @param intervalNs minimum interval between samples.
     */
    public ConsumptionHop(
            HopRecorder recorder,
            LogBuffers log,
            CountedPositions positions,
            NanoClock clock,
            long intervalNs) {
        this.recorder = recorder;
        this.log = log;
        this.positions = positions;
        this.clock = clock;
        this.intervalNs = intervalNs;
        dueNs = clock.nanoTime();
    }

    /** Returns the recorder of the hop. */
    public HopRecorder recorder() {
        return recorder;
    }

    /** Checks the publication, which must have subscribers; called once per turn. */
    public void look() {
        long nowNs = clock.nanoTime();
        if (recorder.isOpen()) {
            lookForEnd();
        } else if (nowNs - dueNs >= 0) {
            lookForStart(nowNs);
        }
        lookedNs = nowNs;
    }

    /** The tail is read only while a sample is due, because publishers write its cache line. */
    private void lookForStart(long nowNs) {
        long before = tail;
        tail = LogTail.position(log);
        if (before != NONE && tail > before) {
            dueNs = nowNs + intervalNs;
            slowest = -1;
            recorder.begin(lookedNs, recorder.nowNs());
            lookForEnd();
        }
    }

    private void lookForEnd() {
        if (positions.least() >= tail) {
            tail = NONE;
            recorder.end(lookedNs, recorder.nowNs(), slowest < 0 ? positions.slowest() : slowest);
        } else {
            slowest = positions.slowest();
        }
    }

    /** Discards the open sample, because there is no subscriber. */
    public void reset() {
        recorder.cancel();
        tail = NONE;
    }
}
