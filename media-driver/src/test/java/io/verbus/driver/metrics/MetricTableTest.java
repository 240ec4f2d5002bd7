// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.RecentCycle;
import io.verbus.driver.status.UnusedOptions;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.Set;

/** Each counter has a metric, whose name follows Prometheus' conventions. */
class MetricTableTest {
    private static void assertListed(int typeId, int number, String what) {
        assertNotSame(MetricTable.APPLICATION, MetricTable.of(typeId, number), what);
    }

    @Test
    void eachDriverCounterHasMetric() throws IllegalAccessException {
        for (SystemCounter each : SystemCounter.values()) {
            assertListed(each.typeId(), each.number(), each.name());
        }
        for (TransportCounter each : TransportCounter.values()) {
            assertListed(CounterTypes.DRIVER, each.number(), each.name());
        }
        for (ConnectionCounter each : ConnectionCounter.values()) {
            assertListed(CounterTypes.CONNECTION, each.number(), each.name());
        }
        Set<Integer> numbered =
                Set.of(CounterTypes.SYSTEM, CounterTypes.DRIVER, CounterTypes.CONNECTION);
        for (Field type : CounterTypes.class.getFields()) {
            if (Modifier.isStatic(type.getModifiers()) && !numbered.contains(type.getInt(null))) {
                assertListed(type.getInt(null), Metric.ANY, type.getName());
            }
        }
        assertListed(CounterTypes.DRIVER, UnusedOptions.NUMBER, "unused options");
        assertListed(CounterTypes.DRIVER, DriverCounters.BUILD, "build");
        for (RecentCycle each : RecentCycle.values()) {
            assertListed(CounterTypes.DRIVER, each.number(), each.name());
        }
    }

    @Test
    void unknownCountersAreApplicationMetrics() {
        assertSame(MetricTable.APPLICATION, MetricTable.of(1001, Metric.ANY));
        assertSame(MetricTable.APPLICATION, MetricTable.of(CounterTypes.DRIVER, 5000));
        assertSame(MetricTable.APPLICATION, MetricTable.of(CounterTypes.SYSTEM, -7));
        assertSame(MetricTable.APPLICATION, MetricTable.of(Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    @Test
    void namesHaveUnitAndAreUnique() {
        Set<String> names = new HashSet<>();
        for (Metric each : MetricTable.all()) {
            assertTrue(names.add(each.name()), each.name());
            assertTrue(each.name().matches("verbus_[a-z0-9]+(_[a-z0-9]+)*"), each.name());
            String bare = each.name().replaceFirst("_total$", "");
            assertTrue(bare.endsWith(each.unit().base()), each.name());
            assertTrue(each.help().endsWith(".") && !each.help().contains("\n"), each.help());
            assertTrue(!each.help().contains("\\"), each.help());
        }
    }

    @Test
    void convertsValuesExactlyToBaseUnits() {
        assertEquals("0.000000001", Metric.Unit.NANOSECONDS.text(1));
        assertEquals("1700000000.123", Metric.Unit.MILLISECONDS.text(1_700_000_000_123L));
        assertEquals("-9223372036.854775808", Metric.Unit.NANOSECONDS.text(Long.MIN_VALUE));
        assertEquals("9223372036854775807", Metric.Unit.BYTES.text(Long.MAX_VALUE));
        assertEquals("0", Metric.Unit.NANOSECONDS.text(0));
    }
}
