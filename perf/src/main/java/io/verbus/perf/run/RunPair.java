// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/**
 * Results of the same work on two contenders, measured in alternating slices, so that changes in
 * the machine, such as the placement of its processors, affect both. While one is measured, the
 * other sleeps. If a sleeping contender would take too much processor time, one runs after the
 * other instead.
 *
 * @param first result of the first contender.
 * @param second result of the second contender.
 * @param <T> type of a result.
 */
public record RunPair<T>(T first, T second) {
    /** Measurement to run on a contender. */
    @FunctionalInterface
    public interface Measure<T> {
        /** Measures {@code count} messages. */
        T of(Run run, long count);
    }

    /**
     * Measures two contenders in alternating slices.
     *
     * @param first first contender.
     * @param second second contender.
     * @param messages number of messages for each.
     * @param slices number of slices.
     * @param measure measurement to run.
     * @param sum operator that combines two slices.
     */
    public static <T> RunPair<T> measure(
            Run first,
            Run second,
            long messages,
            int slices,
            Measure<T> measure,
            BinaryOperator<T> sum) {
        first.warmUp();
        second.warmUp();
        T ofFirst = null;
        T ofSecond = null;
        for (int slice = 0; slice < slices; slice++) {
            long count = messages * (slice + 1) / slices - messages * slice / slices;
            if (slice % 2 == 0) {
                ofFirst = plus(ofFirst, measure.of(first, count), sum);
                ofSecond = plus(ofSecond, measure.of(second, count), sum);
            } else {
                ofSecond = plus(ofSecond, measure.of(second, count), sum);
                ofFirst = plus(ofFirst, measure.of(first, count), sum);
            }
        }
        return new RunPair<>(ofFirst, ofSecond);
    }

    /**
     * Measures two contenders one after the other: each is closed before the next starts, so that
     * neither's threads take a processor from the other.
     *
     * @param first factory of the first contender.
     * @param second factory of the second contender.
     * @param inOrder whether to measure the first contender first.
     * @param messages number of messages for each.
     * @param measure measurement to run.
     * @param versions consumer of the versions of both.
     */
    public static <T> RunPair<T> apart(
            Supplier<Run> first,
            Supplier<Run> second,
            boolean inOrder,
            long messages,
            Measure<T> measure,
            BiConsumer<String, String> versions) {
        List<String> names = new ArrayList<>();
        List<T> results =
                SequentialRun.measure(
                        List.of(first, second), inOrder ? 0 : 1, messages, measure, names);
        versions.accept(names.getFirst(), names.getLast());
        return new RunPair<>(results.getFirst(), results.getLast());
    }

    private static <T> T plus(T before, T slice, BinaryOperator<T> sum) {
        return before == null ? slice : sum.apply(before, slice);
    }
}
