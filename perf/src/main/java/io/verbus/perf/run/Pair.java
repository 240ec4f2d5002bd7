// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/**
 * The same work on two contenders, in slices that alternate: what changes on the machine meanwhile,
 * such as where its processors lie, changes for both. While one is measured the other sleeps. Or
 * one after the other, where what the sleeping one still does would take too much from the other.
 *
 * @param first result of one.
 * @param second result of the other.
 * @param <T> what a result is.
 */
public record Pair<T>(T first, T second) {
    /** How a contender is measured. */
    @FunctionalInterface
    public interface Measure<T> {
        /** Measures so many messages. */
        T of(Contender contender, long count);
    }

    /**
     * Measures it.
     *
     * @param first that is set up.
     * @param second that is set up too.
     * @param messages of both.
     * @param slices into which the messages are cut.
     * @param measure how each is measured.
     * @param sum of two slices.
     */
    public static <T> Pair<T> measure(
            Contender first,
            Contender second,
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
        return new Pair<>(ofFirst, ofSecond);
    }

    /**
     * Measures one after the other: the one has ended before the other is set up, so that no thread
     * of the one takes a processor from the other.
     *
     * @param first sets up one.
     * @param second sets up the other.
     * @param inOrder whether the first is measured first.
     * @param messages of both.
     * @param measure how each is measured.
     * @param versions takes the versions of both.
     */
    public static <T> Pair<T> apart(
            Supplier<Contender> first,
            Supplier<Contender> second,
            boolean inOrder,
            long messages,
            Measure<T> measure,
            BiConsumer<String, String> versions) {
        List<String> names = new ArrayList<>();
        List<T> results =
                Turns.measure(List.of(first, second), inOrder ? 0 : 1, messages, measure, names);
        versions.accept(names.getFirst(), names.getLast());
        return new Pair<>(results.getFirst(), results.getLast());
    }

    private static <T> T plus(T before, T slice, BinaryOperator<T> sum) {
        return before == null ? slice : sum.apply(before, slice);
    }
}
