// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A running driver reports which of Aeron's options have no effect. */
class UnusedOptionsTest {
    private static final String LABEL = "Aeron options without effect: ";

    /** The names in the labels of the counters, whose values are checked. */
    private static List<String> told(List<String> given) {
        List<String> names = new ArrayList<>();
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(Drivers.config().unusedOptions(given));
                Bus bus = Drivers.connect(driver)) {
            CountersReader counters = bus.counters();
            counters.forEach(
                    (id, type, key, label) -> {
                        if (label.startsWith(LABEL)) {
                            List<String> here =
                                    Arrays.asList(label.substring(LABEL.length()).split(" "));
                            assertEquals(here.size(), counters.getCounterValue(id));
                            names.addAll(here);
                        }
                    });
        }
        return names;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 200})
    void namesAllUnusedOptionsInLabels(int count) {
        List<String> given =
                IntStream.range(0, count).mapToObj(i -> "aeron.an.option.number" + i).toList();
        assertEquals(given, told(given));
    }

    @Test
    void truncatesNameLongerThanLabel() {
        String name = "aeron." + "x".repeat(500);
        String told = told(List.of("aeron.a", name, "aeron.b")).get(1);
        assertTrue(name.startsWith(told) && told.length() > 300, told);
    }
}
