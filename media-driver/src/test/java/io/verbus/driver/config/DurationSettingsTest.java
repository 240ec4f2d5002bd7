// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Each setting in nanoseconds can be given as a duration. */
class DurationSettingsTest {
    private static final long NS = 12_000_000_000L;

    @Test
    void acceptsDurationForEachSettingInNanoseconds() throws ReflectiveOperationException {
        List<Method> settings =
                Stream.of(DriverConfigBuilder.class.getDeclaredMethods())
                        .filter(method -> method.getName().endsWith("Ns"))
                        .filter(method -> method.getParameterCount() == 1 && !method.isSynthetic())
                        .toList();
        assertTrue(settings.size() >= 16, settings.toString());
        for (Method setting : settings) {
            String name = setting.getName().replaceFirst("Ns$", "");
            Method ofDuration = DriverConfigBuilder.class.getMethod(name, Duration.class);
            DriverConfigBuilder one = DriverConfig.builder();
            DriverConfigBuilder other = DriverConfig.builder();
            setting.invoke(one, NS);
            ofDuration.invoke(other, Duration.ofNanos(NS));
            assertEquals(one.build(), other.build(), name);
        }
    }
}
