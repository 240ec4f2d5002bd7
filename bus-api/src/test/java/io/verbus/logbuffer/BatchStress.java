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
import org.openjdk.jcstress.infra.results.IZ_Result;

/** One thread writes a batch while another reads or unblocks: all messages are seen, or none. */
public class BatchStress {
    private BatchStress() {}

    private static void read(StressLog log, IL_Result r) {
        StressLog.Reading reading = log.read(0);
        r.r1 = reading.numbers;
        r.r2 =
                reading.position > LogTail.position(log.log())
                        ? "past the tail"
                        : String.valueOf(reading.position);
    }

    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "12, 384", expect = ACCEPTABLE, desc = "the whole batch")
    @Outcome(expect = FORBIDDEN, desc = "part of a batch, or a message past the tail")
    @State
    public static class ConcurrentBatch {
        private final StressLog log = new StressLog(0).batched();

        @Actor
        public void writer() {
            log.appendBatch(false, 1, 2);
        }

        @Actor
        public void reader(IL_Result r) {
            read(log, r);
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "12, 384", expect = ACCEPTABLE, desc = "the whole batch")
    @Outcome(expect = FORBIDDEN, desc = "part of a batch, or what an earlier lap has left")
    @State
    public static class ExclusiveBatchInAUsedLog {
        private final StressLog log = new StressLog(0).soiled().batched();

        @Actor
        public void writer() {
            log.appendBatch(true, 1, 2);
        }

        @Actor
        public void reader(IL_Result r) {
            read(log, r);
        }

        @Arbiter
        public void arbiter() {
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "12, true", expect = ACCEPTABLE, desc = "the whole batch, once")
    @Outcome(expect = FORBIDDEN, desc = "part of a batch, or none")
    @State
    public static class BatchBesideAnUnblocker {
        private final StressLog log = new StressLog(0).batched();

        @Actor
        public void writer() {
            log.appendBatch(false, 1, 2);
        }

        @Actor
        public void unblocker() {
            log.unblock(0);
        }

        @Arbiter
        public void arbiter(IZ_Result r) {
            StressLog.Reading reading = log.read(0);
            r.r1 = reading.numbers;
            r.r2 = reading.position == LogTail.position(log.log());
            log.release();
        }
    }
}
