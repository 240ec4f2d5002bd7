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
import org.openjdk.jcstress.infra.results.LII_Result;
import org.openjdk.jcstress.infra.results.LI_Result;

/** A log is unblocked while the owner is merely slow and continues: nothing may be corrupted. */
public class UnblockStress {
    private static final int TERM = StressLog.TERM_LENGTH;

    private UnblockStress() {}

    @JCStressTest
    @Outcome(id = "lost, 0, 0", expect = ACCEPTABLE, desc = "padding, and the owner knows")
    @Outcome(id = "sent, 1, 1", expect = ACCEPTABLE, desc = "the message")
    @Outcome(expect = FORBIDDEN, desc = "skipped though it was sent, or torn, or still blocked")
    @State
    public static class LateCommit {
        private final StressLog log = new StressLog(0);
        private final BufferClaim claim = log.claim();

        @Actor
        public void owner(LII_Result r) {
            StressLog.write(claim, 1);
            try {
                claim.commit();
                r.r1 = "sent";
            } catch (ClaimLostException e) {
                r.r1 = "lost";
            }
        }

        @Actor
        public void unblocker(LII_Result r) {
            log.unblock(0);
            StressLog.Reading reading = log.read(0);
            r.r2 = reading.position == StressLog.MESSAGE ? reading.numbers : -1;
        }

        @Arbiter
        public void arbiter(LII_Result r) {
            r.r3 = log.read(0).numbers;
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "false, 0, 0", expect = ACCEPTABLE, desc = "padding before the abort")
    @Outcome(id = "true, 0, 0", expect = ACCEPTABLE, desc = "aborted before the padding")
    @Outcome(expect = FORBIDDEN, desc = "delivered, or torn, or still blocked")
    @State
    public static class LateAbort {
        private final StressLog log = new StressLog(0);
        private final BufferClaim claim = log.claim();

        @Actor
        public void owner(LII_Result r) {
            StressLog.write(claim, 1);
            r.r1 = claim.abort();
        }

        @Actor
        public void unblocker(LII_Result r) {
            log.unblock(0);
            StressLog.Reading reading = log.read(0);
            r.r2 = reading.position == StressLog.MESSAGE ? reading.numbers : -1;
        }

        @Arbiter
        public void arbiter(LII_Result r) {
            r.r3 = log.read(0).numbers;
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "lost, 2", expect = ACCEPTABLE, desc = "the space is the other's alone")
    @Outcome(expect = FORBIDDEN, desc = "the other's message is lost or overwritten")
    @State
    public static class CommitWholeLapsLater {
        private final StressLog log = new StressLog(0);
        private final BufferClaim stale = log.claim();

        public CommitWholeLapsLater() {
            log.unblock(0);
            log.goRoundOnce();
        }

        @Actor
        public void owner(LI_Result r) {
            try {
                stale.commit();
                r.r1 = "sent";
            } catch (ClaimLostException e) {
                r.r1 = "lost";
            }
        }

        @Actor
        public void other() {
            BufferClaim claim = log.claim();
            StressLog.write(claim, 2);
            claim.commit();
        }

        @Arbiter
        public void arbiter(LI_Result r) {
            r.r2 = log.read(StressLog.LAP).numbers;
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "nothing to unblock, or marked after it")
    @Outcome(id = "0, 192, 1", expect = ACCEPTABLE, desc = "padding, and sent again behind it")
    @Outcome(id = "1, 192, 1", expect = ACCEPTABLE, desc = "read as the message")
    @Outcome(id = "1, 384, 1", expect = ACCEPTABLE, desc = "read behind the padding")
    @Outcome(expect = FORBIDDEN, desc = "torn, lost, or delivered twice")
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
            // A frame that a reader has skipped as padding must stay padding.
            int behind = log.read(StressLog.MESSAGE).numbers;
            r.r3 = r.r1 == 0 && (long) r.r2 > 0 ? behind : log.read(0).numbers;
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
