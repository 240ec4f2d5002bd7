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
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * The conductor adds a reader while the receiver or the sender releases the log: nothing is
 * released that the new reader has not read.
 */
public class JoinStress {
    private static final int TERM = 64 * 1024;

    private JoinStress() {}

    /** Records the released position and the position at which the reader joins. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "joins first, and holds the release back")
    @Outcome(id = "0, 640", expect = ACCEPTABLE, desc = "sees the claim")
    @Outcome(id = "640, 640", expect = ACCEPTABLE, desc = "joins behind what was released")
    @Outcome(expect = FORBIDDEN, desc = "released data that the new reader has not read")
    @State
    public static class AtTheSlowest {
        private final AtomicLongPosition reader = new AtomicLongPosition();
        private final AtomicLongPosition joining = new AtomicLongPosition();
        private final CountedPositions positions = new CountedPositions(TERM, 0);

        public AtTheSlowest() {
            positions.join(reader, () -> 0);
        }

        @Actor
        public void receiver(JJ_Result r) {
            reader.setRelease(640);
            r.r1 = positions.release(positions.least());
        }

        @Actor
        public void conductor(JJ_Result r) {
            r.r2 = positions.joinLeast(joining, positions::released);
        }

        @Arbiter
        public void arbiter(JJ_Result r) {
            if (positions.released() > r.r2) {
                r.r1 = -1;
            }
        }
    }

    /** A spy joins at the sender position while the sender sends and is granted credit. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "joins first, and holds the release back")
    @Outcome(id = "0, 640", expect = ACCEPTABLE, desc = "sees the claim, or what was sent")
    @Outcome(id = "640, 640", expect = ACCEPTABLE, desc = "joins behind what was released")
    @Outcome(expect = FORBIDDEN, desc = "released data that the spy has not read")
    @State
    public static class WhereTheLogIsSentTo {
        private final AtomicLongPosition sent = new AtomicLongPosition();
        private final AtomicLongPosition joining = new AtomicLongPosition();
        private final CountedPositions positions = new CountedPositions(TERM, 0);

        @Actor
        public void sender(JJ_Result r) {
            sent.setRelease(640);
            r.r1 = positions.release(640);
        }

        @Actor
        public void conductor(JJ_Result r) {
            r.r2 = positions.join(joining, sent::getAcquire);
        }

        @Arbiter
        public void arbiter(JJ_Result r) {
            if (positions.released() > r.r2) {
                r.r1 = -1;
            }
        }
    }
}
