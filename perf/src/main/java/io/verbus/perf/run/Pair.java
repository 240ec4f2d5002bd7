// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.rtt.Measurement;
import io.verbus.perf.rtt.Work;
import io.verbus.perf.run.Runner.Outcome;

/**
 * The same work on two buses, in slices that alternate: what changes on the machine meanwhile, such
 * as where its processors lie, changes for both. While one is measured the other sleeps.
 *
 * @param first outcome of one.
 * @param second outcome of the other.
 */
public record Pair(Outcome first, Outcome second) {
    /**
     * Measures it.
     *
     * @param first that is set up.
     * @param second that is set up too.
     * @param work of both.
     * @param slices into which the messages are cut.
     */
    public static Pair measure(Runner first, Runner second, Work work, int slices) {
        first.warmUp();
        second.warmUp();
        Measurement ofFirst = null;
        Measurement ofSecond = null;
        for (int slice = 0; slice < slices; slice++) {
            long count = work.messages() * (slice + 1) / slices - work.messages() * slice / slices;
            if (slice % 2 == 0) {
                ofFirst = sum(ofFirst, first.measure(count));
                ofSecond = sum(ofSecond, second.measure(count));
            } else {
                ofSecond = sum(ofSecond, second.measure(count));
                ofFirst = sum(ofFirst, first.measure(count));
            }
        }
        return new Pair(
                new Outcome(first.version(), ofFirst), new Outcome(second.version(), ofSecond));
    }

    private static Measurement sum(Measurement before, Measurement slice) {
        return before == null ? slice : before.plus(slice);
    }
}
