// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.MediaDriver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks that {@code docs/reference/counters.md} lists each counter of a driver. */
@Timeout(60)
class CountersPageTest {
    private static final Path PAGE = Path.of("../docs/reference/counters.md");
    private static final String BUILD = "driver build: version=… commit=… jdk=…";
    private static final String CHANNEL = "verbus:udp?endpoint=127.0.0.1:20499";

    @Test
    void pageListsCountersOfDriverAndUdp() throws IOException {
        String page = Files.readString(PAGE);
        List<String> absent = new ArrayList<>();
        int[] listed = new int[1];
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Bus bus =
                        Bus.connect(
                                new Bus.Context().directoryName(driver.directory().toString()));
                Subscription subscription = bus.addSubscription(CHANNEL, 1);
                Publication publication = bus.addPublication(CHANNEL, 1)) {
            while (!publication.isConnected() || !subscription.isConnected()) {
                Thread.onSpinWait();
            }
            bus.counters()
                    .forEach(
                            (id, type, key, label) -> {
                                boolean isListed =
                                        type == CounterTypes.SYSTEM || type == CounterTypes.DRIVER;
                                listed[0] += isListed ? 1 : 0;
                                String listedAs = label.replaceFirst("^driver build: .*", BUILD);
                                if (isListed && !page.contains("`" + listedAs + "`")) {
                                    absent.add(label);
                                }
                            });
        }
        assertEquals(List.of(), absent, "add them to " + PAGE);
        assertTrue(listed[0] > 60, listed[0] + " counters");
    }

    @Test
    void pageListsCounterTypes() throws IOException, IllegalAccessException {
        String page = Files.readString(PAGE);
        List<String> absent = new ArrayList<>();
        for (Field type : CounterTypes.class.getFields()) {
            if (Modifier.isStatic(type.getModifiers())
                    && type.getInt(null) != CounterTypes.SYSTEM
                    && !page.contains("| " + type.getInt(null) + " |")) {
                absent.add(type.getName());
            }
        }
        assertEquals(List.of(), absent, "add them to " + PAGE);
    }
}
