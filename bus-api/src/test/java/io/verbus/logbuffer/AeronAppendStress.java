// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IL_Result;
import org.openjdk.jcstress.infra.results.I_Result;

import java.util.concurrent.atomic.AtomicLong;

/**
 * An Aeron client, which commits four bytes and zeroes nothing ahead, appends concurrently with a
 * reader, a Verbus client, the cleaner or the unblocker.
 */
public class AeronAppendStress {
    private AeronAppendStress() {}

    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 192", expect = ACCEPTABLE, desc = "the whole message")
    @Outcome(expect = FORBIDDEN, desc = "part of a message")
    @State
    public static class OneReader {
        private final StressLog log = new StressLog(0);

        @Actor
        public void writer() {
            log.appendAsAeron(1);
        }

        @Actor
        public void reader(IL_Result r) {
            StressLog.Reading reading = log.read(0);
            r.r1 = reading.numbers;
            r.r2 = reading.position;
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    @JCStressTest
    @Outcome(
            id = {"12", "21"},
            expect = ACCEPTABLE,
            desc = "both, in either order")
    @Outcome(expect = FORBIDDEN, desc = "one is lost or torn")
    @State
    public static class BesideVerbus {
        private final StressLog log = new StressLog(0);

        @Actor
        public void aeron() {
            log.appendAsAeron(1);
        }

        @Actor
        public void verbus() {
            log.append(2);
        }

        @Arbiter
        public void arbiter(I_Result r) {
            r.r1 = log.read(0).numbers;
            log.release();
        }
    }

    @JCStressTest
    @Outcome(
            id = {"12", "21"},
            expect = ACCEPTABLE,
            desc = "both, in either order, one of them in the next term")
    @Outcome(expect = FORBIDDEN, desc = "one is lost or torn")
    @State
    public static class BesideVerbusAtTheEndOfATerm {
        private final StressLog log = new StressLog(StressLog.TERM_LENGTH - 256);

        @Actor
        public void aeron() {
            log.appendAsAeron(1);
        }

        @Actor
        public void verbus() {
            log.append(2);
        }

        @Arbiter
        public void arbiter(I_Result r) {
            r.r1 = log.read(StressLog.TERM_LENGTH - 256).numbers;
            log.release();
        }
    }

    /** The limit is raised after zeroing: the writer finds clean space. */
    @JCStressTest
    @Outcome(id = "0, 196608", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 196800", expect = ACCEPTABLE, desc = "the message alone")
    @Outcome(expect = FORBIDDEN, desc = "data of an earlier lap")
    @State
    public static class IntoATermThatIsBeingCleaned {
        private static final int CLEANED = 512;

        private final StressLog log = new StressLog(0).soiled();
        private final LogCleaner cleaner = new LogCleaner(log.log(), 0);
        private final AtomicLong limit = new AtomicLong(StressLog.LAP);

        public IntoATermThatIsBeingCleaned() {
            log.goRound();
        }

        @Actor
        public void conductor() {
            cleaner.clean(CLEANED, CLEANED);
            limit.set(StressLog.LAP + CLEANED);
        }

        @Actor
        public void writer(IL_Result r) {
            if (log.appendAsAeron(1, limit.get()) > 0) {
                StressLog.Reading reading = log.read(StressLog.LAP);
                r.r1 = reading.numbers;
                r.r2 = reading.position;
            } else {
                r.r2 = (long) StressLog.LAP;
            }
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    /** The owner commits by a plain store, and does not detect that its claim was padded. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "turned into padding once it was marked")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "read as padding or not yet, then whole")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "read whole")
    @Outcome(expect = FORBIDDEN, desc = "torn, or of another extent")
    @State
    public static class BesideTheUnblocker {
        private final StressLog log = new StressLog(0);

        @Actor
        public void owner() {
            log.appendAsAeron(1);
        }

        @Actor
        public void unblocker(IL_Result r) {
            log.unblock(0);
            r.r1 = log.read(0).numbers;
        }

        @Arbiter
        public void arbiter(IL_Result r) {
            r.r2 = log.read(0).numbers;
            log.release();
        }
    }
}
