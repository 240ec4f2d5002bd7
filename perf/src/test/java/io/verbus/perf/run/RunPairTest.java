// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class RunPairTest {
    private final List<String> steps = new ArrayList<>();

    private Run run(String name) {
        steps.add(name + " up");
        return new Run() {
            @Override
            public String version() {
                return name;
            }

            @Override
            public void warmUp() {
                steps.add(name + " warm");
            }

            @Override
            public Measurement roundTrips(long count) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Throughput stream(long count) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {
                steps.add(name + " down");
            }
        };
    }

    private long measure(Run run, long count) {
        steps.add(run.version() + " " + count);
        return count;
    }

    @Test
    void alternatesFirstContenderOfSlicesWhileBothRun() {
        RunPair<Long> pair = RunPair.measure(run("a"), run("b"), 7, 2, this::measure, Long::sum);
        assertEquals(new RunPair<>(7L, 7L), pair);
        assertEquals(
                List.of("a up", "b up", "a warm", "b warm", "a 3", "b 3", "b 4", "a 4"), steps);
    }

    @Test
    void closesFirstContenderBeforeStartingSecondWhenApart() {
        assertEquals(new RunPair<>("a", "b"), apart(true));
        assertEquals(
                List.of("a up", "a warm", "a 7", "a down", "b up", "b warm", "b 7", "b down"),
                steps);
    }

    @Test
    void canMeasureSecondContenderFirstWhenApart() {
        assertEquals(new RunPair<>("a", "b"), apart(false));
        assertEquals(
                List.of("b up", "b warm", "b 7", "b down", "a up", "a warm", "a 7", "a down"),
                steps);
    }

    private RunPair<String> apart(boolean inOrder) {
        List<String> versions = new ArrayList<>();
        RunPair<String> pair =
                RunPair.apart(
                        () -> run("a"),
                        () -> run("b"),
                        inOrder,
                        7,
                        (run, count) -> {
                            measure(run, count);
                            return run.version();
                        },
                        (first, second) -> versions.addAll(List.of(first, second)));
        assertEquals(List.of("a", "b"), versions);
        return pair;
    }
}
