// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

class LabArgumentsTest {
    @Test
    void removesOptionsWithValues() {
        List<String> typed =
                List.of(
                        "perf",
                        "rtt",
                        "--json",
                        "a b.json",
                        "--rate=max",
                        "--hgrm=x",
                        "--length",
                        "9");

        assertEquals(
                List.of("perf", "rtt", "--rate=max", "--length", "9"),
                LabArguments.without(typed, Set.of("--json", "--hgrm")));
        assertEquals(typed, LabArguments.without(typed, Set.of()));
    }
}
