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

/** One thread writes a message while another reads: the reader sees all of it or nothing. */
public class CommitStress {
    private CommitStress() {}

    /** Records what a reader sees, and whether the tail was published before it. */
    abstract static class OneReader {
        final StressLog log = new StressLog(0);

        void read(IL_Result r) {
            StressLog.Reading reading = log.read(0);
            r.r1 = reading.numbers;
            r.r2 =
                    reading.position > LogTail.position(log.log())
                            ? "past the tail"
                            : String.valueOf(reading.position);
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 192", expect = ACCEPTABLE, desc = "the whole message")
    @Outcome(expect = FORBIDDEN, desc = "part of a message, or one past the tail")
    @State
    public static class ConcurrentAppend extends OneReader {
        @Actor
        public void writer() {
            log.append(1);
        }

        @Actor
        public void reader(IL_Result r) {
            read(r);
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 192", expect = ACCEPTABLE, desc = "the whole message")
    @Outcome(expect = FORBIDDEN, desc = "part of a message, or one past the tail")
    @State
    public static class ExclusiveAppend extends OneReader {
        @Actor
        public void writer() {
            log.appendExclusively(1);
        }

        @Actor
        public void reader(IL_Result r) {
            read(r);
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 192", expect = ACCEPTABLE, desc = "the first message")
    @Outcome(id = "12, 384", expect = ACCEPTABLE, desc = "both messages")
    @Outcome(expect = FORBIDDEN, desc = "part of a message, or what an earlier lap has left")
    @State
    public static class ExclusiveAppendToAUsedLog {
        private final StressLog log = new StressLog(0).soiled();

        @Actor
        public void writer() {
            log.appendExclusively(1, 2);
        }

        @Actor
        public void reader(IL_Result r) {
            StressLog.Reading reading = log.read(0);
            r.r1 = reading.numbers;
            r.r2 = String.valueOf(reading.position);
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not committed yet")
    @Outcome(id = "1, 192", expect = ACCEPTABLE, desc = "the whole message")
    @Outcome(expect = FORBIDDEN, desc = "part of a message, or one past the tail")
    @State
    public static class ClaimAndCommit extends OneReader {
        @Actor
        public void writer() {
            BufferClaim claim = log.claim();
            StressLog.write(claim, 1);
            claim.commit();
        }

        @Actor
        public void reader(IL_Result r) {
            read(r);
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not aborted yet")
    @Outcome(id = "0, 192", expect = ACCEPTABLE, desc = "skipped")
    @Outcome(expect = FORBIDDEN, desc = "an aborted message was delivered")
    @State
    public static class ClaimAndAbort extends OneReader {
        @Actor
        public void writer() {
            BufferClaim claim = log.claim();
            StressLog.write(claim, 1);
            claim.abort();
        }

        @Actor
        public void reader(IL_Result r) {
            read(r);
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }
}
