// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.Endpoint;
import io.verbus.driver.Drivers;
import io.verbus.driver.share.Share;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

class DriverConfigBuilderTest {
    private static final long NS = 12_000_000_000L;

    /** Options whose value, unless set, is none or depends on another option or the user. */
    private static final Set<String> WITHOUT_FIXED_DEFAULT =
            Set.of(
                    "dir",
                    "directory-group",
                    "log-directory",
                    "unblock-timeout",
                    "untethered-linger-timeout",
                    "metrics",
                    "resolver.name",
                    "resolver.bootstrap-neighbor");

    private static Map<String, Object> values(DriverConfig config) {
        Map<String, Object> values = new TreeMap<>();
        DriverOptions.ALL.forEach(option -> values.put(option.name(), config.get(option)));
        return values;
    }

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
            assertEquals(values(one.build()), values(other.build()), name);
            assertTrue(values(one.build()).containsValue(NS), name);
        }
    }

    @Test
    void eachOptionHasItsDeclaredDefault() {
        DriverConfig config = DriverConfig.defaults();
        for (DriverOption<?> option : DriverOptions.ALL) {
            if (!WITHOUT_FIXED_DEFAULT.contains(option.name())) {
                assertEquals(
                        option.option().parse(option.option().preset()),
                        config.get(option),
                        option.name());
            }
        }
        assertEquals(15_000_000_000L, config.unblockTimeoutNs());
        assertNull(config.metrics());
        assertNull(config.resolver());
    }

    @Test
    void parsesEachOptionIntoConfig() {
        for (DriverOption<?> option : DriverOptions.ALL) {
            String preset = option.option().preset();
            String text = preset.equals("none") ? "localhost:9" : preset;
            DriverConfig config =
                    new DriverConfigSources(DriverConfig.builder().resolverName("here"), List.of())
                            .set(option.name(), text, option.name())
                            .build();
            assertEquals(option.option().parse(text), config.get(option), option.name());
        }
    }

    @Test
    void rejectsTypedValueOutOfRangeInSetter() {
        DriverConfigBuilder builder = DriverConfig.builder();
        List<String> texts = new ArrayList<>();
        for (Runnable setter :
                List.<Runnable>of(
                        () -> builder.mtu(100),
                        () -> builder.lingerNs(-1),
                        () -> builder.senderCpu(1024),
                        () -> builder.clientShare(0),
                        () -> builder.share(Share.CLIENTS, 1L << 40),
                        () -> builder.share(Share.COUNTERS, 1),
                        () -> builder.auditFile(Path.of("else.log")),
                        () -> builder.resolverName("two words"),
                        () -> builder.threading(null))) {
            texts.add(Drivers.refusal(setter::run));
        }
        assertEquals(
                List.of(
                        "mtu is 100: it must be a multiple of 32 from 64 to 65504; a number"
                                + " without a unit is in bytes; the units are k, m and g",
                        "linger is -1ns: it must be from 0ns to 86400s",
                        "sender.cpu is 1024: it must be a whole number from -1 to 1023",
                        "client-share is 0: it must be a whole number from 1 to 100",
                        "max-clients is 1099511627776: it must be a whole number from 1 to"
                                + " 100000000",
                        "no option sets the total of counters: set counter-values-length",
                        "audit-file is else.log: it must be an absolute path, or audit.log for a"
                                + " file of this name in the driver directory",
                        "resolver.name is two words: it must be a name of 1 to 512 printable ASCII"
                                + " characters without spaces",
                        "threading is null: it must be dedicated, shared_network, shared or"
                                + " invoker"),
                texts);
    }

    @Test
    void nullUnsetsOptionWithoutDefault() {
        DriverConfig config =
                DriverConfig.builder()
                        .metrics(Endpoint.parse("localhost:9"))
                        .metrics(null)
                        .directoryGroup(null)
                        .logDirectory(null)
                        .build();
        assertNull(config.metrics());
        assertNull(config.directoryGroup());
        assertNull(config.logDirectory());
    }

    @Test
    void configKeepsValuesWhenBuilderChanges() {
        DriverConfigBuilder builder = DriverConfig.builder().mtu(1024);
        DriverConfig config = builder.build();
        builder.mtu(2048).transportOption("udp.window", "64k");
        assertEquals(1024, config.mtu());
        assertEquals(Map.of(), config.transportOptions());
        assertThrows(
                UnsupportedOperationException.class,
                () -> config.transportOptions().put("udp.window", "1m"));
    }
}
