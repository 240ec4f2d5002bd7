// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ILI_Result;

/** A log is unblocked while the owner, who is only slow, goes on: nothing may be corrupted. */
public class UnblockStress {
    private static final int TERM = StressLog.TERM_LENGTH;

    private UnblockStress() {}

    @JCStressTest
    @Outcome(id = "0, 192, 1", expect = ACCEPTABLE, desc = "read as padding before the commit")
    @Outcome(id = "1, 192, 1", expect = ACCEPTABLE, desc = "read as the message")
    @Outcome(expect = FORBIDDEN, desc = "torn, or of another extent, or still blocked")
    @State
    public static class LateCommit {
        private final StressLog log = new StressLog(0);
        private final BufferClaim claim = log.claim();

        @Actor
        public void owner() {
            StressLog.write(claim, 1);
            claim.commit();
        }

        @Actor
        public void unblocker(ILI_Result r) {
            log.unblock(0);
            StressLog.Reading reading = log.read(0);
            r.r1 = reading.numbers;
            r.r2 = reading.position;
        }

        @Arbiter
        public void arbiter(ILI_Result r) {
            r.r3 = log.read(0).numbers;
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "nothing to unblock, or marked after it")
    @Outcome(id = "0, 192, 1", expect = ACCEPTABLE, desc = "read as padding before the commit")
    @Outcome(id = "1, 192, 1", expect = ACCEPTABLE, desc = "read as the message")
    @Outcome(expect = FORBIDDEN, desc = "torn, or of another extent, or lost at the end")
    @State
    public static class LateAppend {
        private final StressLog log = new StressLog(0);

        @Actor
        public void owner() {
            log.append(1);
        }

        @Actor
        public void unblocker(ILI_Result r) {
            log.unblock(0);
            StressLog.Reading reading = log.read(0);
            r.r1 = reading.numbers;
            r.r2 = reading.position;
        }

        @Arbiter
        public void arbiter(ILI_Result r) {
            r.r3 = log.read(0).numbers;
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "12, 65920, 1", expect = ACCEPTABLE, desc = "rotated once, the append kept")
    @Outcome(expect = FORBIDDEN, desc = "rotated twice, or the new term's tail was set back")
    @State
    public static class LateRotation {
        private final StressLog log = new StressLog(TERM + StressLog.MESSAGE);

        @Actor
        public void owner() {
            LogTail.rotate(log.log().metadata(), log.log().spec().initialTermId(), 0);
        }

        @Actor
        public void unblocker() {
            log.unblock(TERM);
            log.append(1);
            log.append(2);
        }

        @Arbiter
        public void arbiter(ILI_Result r) {
            r.r1 = log.read(TERM).numbers;
            r.r2 = LogTail.position(log.log());
            r.r3 = log.log().metadata().getInt(LogLayout.ACTIVE_TERM_COUNT);
            log.release();
        }
    }
}
