// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

class SequentialRunTest {
    private final List<String> log = new ArrayList<>();

    private Supplier<Run> run(String name) {
        return () -> {
            log.add("+" + name);
            return new Named(name);
        };
    }

    private final class Named implements Run {
        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public String version() {
            return name;
        }

        @Override
        public void warmUp() {
            log.add("~" + name);
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
            log.add("-" + name);
        }
    }

    @Test
    void measuresContendersInCircularOrderFromGivenIndex() {
        List<String> versions = new ArrayList<>();
        List<String> results =
                SequentialRun.measure(
                        Stream.of("a", "b", "c").map(this::run).toList(),
                        1,
                        7,
                        (run, count) -> run.version() + count,
                        versions);
        assertEquals(List.of("a7", "b7", "c7"), results);
        assertEquals(List.of("a", "b", "c"), versions);
        assertEquals(List.of("+b", "~b", "-b", "+c", "~c", "-c", "+a", "~a", "-a"), log);
    }

    @Test
    void reportsContenderWithoutArchive() {
        Exception failure =
                assertThrows(
                        UnsupportedOperationException.class,
                        () ->
                                SequentialRun.measure(
                                        List.of(run("a")),
                                        0,
                                        1,
                                        Run::recording,
                                        new ArrayList<>()));
        assertEquals("a has no archive", failure.getMessage());
        assertEquals("-a", log.getLast());
    }
}
