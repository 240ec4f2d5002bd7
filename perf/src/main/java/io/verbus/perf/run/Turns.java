// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/**
 * The same work on contenders, one after the other: each has ended before the next is set up, so
 * that no thread of the one takes a processor from another.
 */
public final class Turns {
    private Turns() {}

    /**
     * Measures it.
     *
     * @param contenders sets up each.
     * @param first of them that is measured; the others follow, in their order, in a circle.
     * @param messages of each.
     * @param measure how each is measured.
     * @param versions is given the version of each, in the order of the contenders.
     * @return the result of each, in that order.
     */
    public static <T> List<T> measure(
            List<Supplier<Contender>> contenders,
            int first,
            long messages,
            Pair.Measure<T> measure,
            List<String> versions) {
        int count = contenders.size();
        List<T> results = new ArrayList<>(Collections.nCopies(count, null));
        versions.clear();
        versions.addAll(Collections.nCopies(count, ""));
        for (int turn = 0; turn < count; turn++) {
            int number = (first + turn) % count;
            try (Contender contender = contenders.get(number).get()) {
                contender.warmUp();
                results.set(number, measure.of(contender, messages));
                versions.set(number, contender.version());
            }
        }
        return results;
    }
}
