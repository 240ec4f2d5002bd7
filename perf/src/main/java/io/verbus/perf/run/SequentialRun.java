// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/**
 * Runs the same work on contenders one after the other: each is closed before the next starts, so
 * that no contender's threads take a processor from another.
 */
public final class SequentialRun {
    private SequentialRun() {}

    /**
     * Measures all contenders.
     *
     * @param contenders factories of the contenders.
     * @param first index of the contender to measure first; the others follow in circular order.
     * @param messages number of messages for each.
     * @param measure measurement to run.
     * @param versions list that receives the versions, in the order of the contenders.
     * @return the results, in the order of the contenders.
     */
    public static <T> List<T> measure(
            List<Supplier<Run>> contenders,
            int first,
            long messages,
            RunPair.Measure<T> measure,
            List<String> versions) {
        int count = contenders.size();
        List<T> results = new ArrayList<>(Collections.nCopies(count, null));
        versions.clear();
        versions.addAll(Collections.nCopies(count, ""));
        for (int turn = 0; turn < count; turn++) {
            int number = (first + turn) % count;
            try (Run run = contenders.get(number).get()) {
                run.warmUp();
                results.set(number, measure.of(run, messages));
                versions.set(number, run.version());
            }
        }
        return results;
    }
}
