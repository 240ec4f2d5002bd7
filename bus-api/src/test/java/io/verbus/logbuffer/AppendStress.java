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
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Two threads append concurrently: within a term, and at the end of a term. */
public class AppendStress {
    private static final int TERM = StressLog.TERM_LENGTH;

    private AppendStress() {}

    /** Reads both messages, and checks the final position of the log. */
    abstract static class TwoAppends {
        private final int tail;
        private final StressLog log;

        TwoAppends(int tail) {
            this.tail = tail;
            log = new StressLog(tail);
        }

        void append(int number) {
            log.append(number);
        }

        void observe(IL_Result r) {
            StressLog.Reading reading = log.read(tail);
            r.r1 = reading.numbers;
            long end = LogTail.position(log.log());
            r.r2 = reading.position == end ? String.valueOf(end - tail) : "not read to the tail";
            log.release();
        }
    }

    @JCStressTest
    @Outcome(id = "12, 384", expect = ACCEPTABLE, desc = "both, the first one first")
    @Outcome(id = "21, 384", expect = ACCEPTABLE, desc = "both, the second one first")
    @Outcome(expect = FORBIDDEN, desc = "lost, torn, doubled or unread")
    @State
    public static class WithinATerm extends TwoAppends {
        public WithinATerm() {
            super(0);
        }

        @Actor
        public void first() {
            append(1);
        }

        @Actor
        public void second() {
            append(2);
        }

        @Arbiter
        public void arbiter(IL_Result r) {
            observe(r);
        }
    }

    @JCStressTest
    @Outcome(id = "12, 416", expect = ACCEPTABLE, desc = "the first fits, the second rotates")
    @Outcome(id = "21, 416", expect = ACCEPTABLE, desc = "the second fits, the first rotates")
    @Outcome(expect = FORBIDDEN, desc = "lost, torn, doubled or unread")
    @State
    public static class OneFitsBeforeTheEnd extends TwoAppends {
        public OneFitsBeforeTheEnd() {
            super(TERM - StressLog.MESSAGE - 32);
        }

        @Actor
        public void first() {
            append(1);
        }

        @Actor
        public void second() {
            append(2);
        }

        @Arbiter
        public void arbiter(IL_Result r) {
            observe(r);
        }
    }

    @JCStressTest
    @Outcome(id = "12, 416", expect = ACCEPTABLE, desc = "one rotates, both go on behind")
    @Outcome(id = "21, 416", expect = ACCEPTABLE, desc = "one rotates, both go on behind")
    @Outcome(expect = FORBIDDEN, desc = "lost, torn, doubled or unread")
    @State
    public static class NoneFitsBeforeTheEnd extends TwoAppends {
        public NoneFitsBeforeTheEnd() {
            super(TERM - 32);
        }

        @Actor
        public void first() {
            append(1);
        }

        @Actor
        public void second() {
            append(2);
        }

        @Arbiter
        public void arbiter(IL_Result r) {
            observe(r);
        }
    }

    @JCStressTest
    @Outcome(id = "192, -2", expect = ACCEPTABLE, desc = "the first goes past the limit, alone")
    @Outcome(id = "-2, 192", expect = ACCEPTABLE, desc = "the second goes past the limit, alone")
    @Outcome(expect = FORBIDDEN, desc = "both go past the limit, or none")
    @State
    public static class LongMessagesAtTheLimit {
        private static final long LIMIT = 32;

        private final StressLog log = new StressLog(0);

        @Actor
        public void first(JJ_Result r) {
            r.r1 = log.append(1, 0, LIMIT);
        }

        @Actor
        public void second(JJ_Result r) {
            r.r2 = log.append(2, 0, LIMIT);
        }

        @Arbiter
        public void arbiter(JJ_Result r) {
            log.release();
        }
    }
}
