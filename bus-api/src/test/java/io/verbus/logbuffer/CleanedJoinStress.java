// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.agrona.concurrent.status.AtomicLongPosition;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A reader joins at the least position while the log is released, cleaned and appended to by an
 * Aeron client, which zeroes nothing ahead. The limit is a whole log past the clean part, so that a
 * single byte more would be noticed.
 */
public class CleanedJoinStress {
    private CleanedJoinStress() {}

    /** Where the reader joins, it finds a frame of its own lap. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "joins first, and finds the message")
    @Outcome(id = "192, 0", expect = ACCEPTABLE, desc = "joins behind what is released")
    @Outcome(expect = FORBIDDEN, desc = "zeroes where it joined, or a frame of the next lap")
    @State
    public static class WhileTheLastLapIsReplaced {
        private final StressLog log = new StressLog(0);
        private final LogCleaner cleaner = new LogCleaner(log.log(), 0);
        private final AtomicLongPosition reader = new AtomicLongPosition();
        private final AtomicLongPosition joining = new AtomicLongPosition();
        private final CountedPositions positions = new CountedPositions(StressLog.TERM_LENGTH, 0);

        public WhileTheLastLapIsReplaced() {
            log.appendAsAeron(1);
            log.goRound();
            positions.join(reader, () -> 0);
        }

        @Actor
        public void releasing() {
            reader.setRelease(StressLog.MESSAGE);
            long released = positions.release(positions.least());
            cleaner.clean(released, StressLog.MESSAGE);
            log.appendAsAeron(2, cleaner.cleaned() + StressLog.LAP);
        }

        @Actor
        public void conductor(JI_Result r) {
            r.r1 = positions.joinLeast(joining, positions::released);
            r.r2 = log.read(r.r1).numbers;
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    /** The conductor cleans, raises the limit and adds a reader at the writer's position. */
    @JCStressTest
    @Outcome(id = "196608, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "196608, 1", expect = ACCEPTABLE, desc = "the message alone")
    @Outcome(expect = FORBIDDEN, desc = "what an earlier lap has left, or a part")
    @State
    public static class WhereTheWriterGoesOn {
        private static final int CLEANED = 512;

        private final StressLog log = new StressLog(0).soiled();
        private final LogCleaner cleaner = new LogCleaner(log.log(), 0);
        private final AtomicLongPosition reader = new AtomicLongPosition();
        private final AtomicLongPosition joining = new AtomicLongPosition();
        private final CountedPositions positions = new CountedPositions(StressLog.TERM_LENGTH, 0);
        private final AtomicLong limit = new AtomicLong(StressLog.LAP);

        public WhereTheWriterGoesOn() {
            log.goRound();
            positions.join(reader, () -> StressLog.LAP);
        }

        @Actor
        public void conductor(JI_Result r) {
            cleaner.clean(positions.release(positions.least()), CLEANED);
            limit.set(cleaner.cleaned() + StressLog.LAP);
            r.r1 = positions.joinLeast(joining, positions::released);
            r.r2 = log.read(r.r1).numbers;
        }

        @Actor
        public void writer() {
            log.appendAsAeron(1, limit.get());
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    /** The conductor cleans, raises the limit, and pads an open claim. */
    @JCStressTest
    @Outcome(id = "196608, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "196800, 0", expect = ACCEPTABLE, desc = "the claim was turned into padding")
    @Outcome(id = "196800, 1", expect = ACCEPTABLE, desc = "the message")
    @Outcome(expect = FORBIDDEN, desc = "torn, of another extent, or of an earlier lap")
    @State
    public static class ThenUnblocked {
        private static final int CLEANED = 512;

        private final StressLog log = new StressLog(0).soiled();
        private final LogCleaner cleaner = new LogCleaner(log.log(), 0);
        private final AtomicLong limit = new AtomicLong(StressLog.LAP);

        public ThenUnblocked() {
            log.goRound();
        }

        @Actor
        public void conductor() {
            cleaner.clean(CLEANED, CLEANED);
            limit.set(cleaner.cleaned() + StressLog.LAP);
            log.unblock(StressLog.LAP);
        }

        @Actor
        public void writer() {
            log.appendAsAeron(1, limit.get());
        }

        @Arbiter
        public void arbiter(JI_Result r) {
            StressLog.Reading reading = log.read(StressLog.LAP);
            r.r1 = reading.position;
            r.r2 = reading.numbers;
            log.release();
        }
    }
}
