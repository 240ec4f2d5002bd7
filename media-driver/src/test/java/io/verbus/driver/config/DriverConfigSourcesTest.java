// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.driver.Drivers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;

class DriverConfigSourcesTest {
    @TempDir Path folder;

    private static DriverConfigSources sources() {
        return new DriverConfigSources(DriverConfig.builder(), List.of("rdma"));
    }

    private static Properties properties(String... pairs) {
        Properties properties = new Properties();
        for (int i = 0; i < pairs.length; i += 2) {
            properties.setProperty(pairs[i], pairs[i + 1]);
        }
        return properties;
    }

    @Test
    void ignoresVariablesOfLauncher() {
        sources()
                .environment(
                        Map.of(
                                "VERBUS_HOME", "/opt/verbus",
                                "VERBUS_JVM_OPTS", "-Xmx1g",
                                "VERBUS_CLASS_PATH", "more.jar",
                                "VERBUS_CLUSTER_CACHE", "/opt/verbus/cache/cluster.aot"))
                .build();
    }

    @Test
    void laterSourceOverridesEarlier() throws IOException {
        Path file = folder.resolve("driver.properties");
        Files.writeString(
                file, "mtu=1024\nverbus.term-length=64k\nlinger=1s\nsender.idle=busy_spin\n");
        DriverConfig config =
                sources()
                        .file(file)
                        .environment(
                                Map.of(
                                        "VERBUS_TERM_LENGTH", "128k",
                                        "VERBUS_LINGER", "2s",
                                        "VERBUS_RECEIVER_CPU", "1",
                                        "VERBUS_RDMA_RETRY_COUNT", "5",
                                        "VERBUS_LAB_ADDR1", "10.77.0.1",
                                        "PATH", "/bin"))
                        .properties(properties("verbus.linger", "3s", "java.home", "x"))
                        .set("linger", "4s", "option --linger")
                        .build();
        assertEquals(1024, config.mtu());
        assertEquals(128 * 1024, config.termLength());
        assertEquals(4_000_000_000L, config.lingerNs());
        assertEquals(Idling.BUSY_SPIN, config.sender().idling());
        assertEquals(1, config.receiver().cpu());
        assertEquals(Map.of("rdma.retry-count", "5"), config.transportOptions());
    }

    @Test
    void untetheredLingerDefaultsToWindowLimit() {
        DriverConfig preset = DriverConfig.defaults();
        assertEquals(
                new UntetheredTimeouts(5_000_000_000L, 5_000_000_000L, 10_000_000_000L),
                preset.untethered().of(ChannelUri.parse("aeron:ipc")));
        DriverConfig config =
                sources()
                        .environment(
                                Map.of(
                                        "AERON_UNTETHERED_WINDOW_LIMIT_TIMEOUT", "59000000",
                                        "AERON_UNTETHERED_LINGER_TIMEOUT", "-1",
                                        "AERON_UNTETHERED_RESTING_TIMEOUT", "111ms"))
                        .build();
        assertEquals(
                new UntetheredTimeouts(59_000_000, 59_000_000, 111_000_000),
                config.untethered().of(ChannelUri.parse("aeron:ipc")));
        assertEquals(
                new UntetheredTimeouts(1_000_000, 1_000_000, 2_000_000),
                config.untethered()
                        .of(
                                ChannelUri.ipc()
                                        .untetheredWindowLimit(Duration.ofMillis(1))
                                        .untetheredResting(Duration.ofMillis(2))
                                        .build()));
        DriverConfig set =
                sources().properties(properties("aeron.untethered.linger.timeout", "25ms")).build();
        assertEquals(25_000_000, set.untethered().of(ChannelUri.parse("aeron:ipc")).lingerNs());
        assertThrows(
                BusException.class,
                () -> DriverConfig.builder().untetheredRestingNs(999_999).build());
    }

    @Test
    void readsTetherAndRejoinByAeronNames() {
        DriverConfig preset = DriverConfig.defaults();
        assertTrue(preset.tetherSubscriptions());
        assertTrue(preset.rejoinStream());
        DriverConfig config =
                sources()
                        .environment(Map.of("AERON_TETHER_SUBSCRIPTIONS", "false"))
                        .properties(properties("aeron.rejoin.stream", "false"))
                        .build();
        assertFalse(config.tetherSubscriptions());
        assertFalse(config.rejoinStream());
        assertTrue(
                sources()
                        .environment(
                                Map.of(
                                        "AERON_TETHER_SUBSCRIPTIONS", "false",
                                        "VERBUS_TETHER_SUBSCRIPTIONS", "true"))
                        .build()
                        .tetherSubscriptions());
    }

    @Test
    void readsLookUpThresholdByBothAeronNames() {
        assertEquals(5_000_000_000L, DriverConfig.defaults().lookUpThresholdNs());
        for (String name : List.of("NAME_RESOLVER", "DRIVER_NAME_RESOLVER")) {
            assertEquals(
                    7,
                    sources()
                            .environment(Map.of("AERON_" + name + "_THRESHOLD", "7"))
                            .build()
                            .lookUpThresholdNs());
        }
        assertThrows(BusException.class, () -> DriverConfig.builder().lookUpThresholdNs(0).build());
    }

    @Test
    void readsCycleThresholdsByAeronNames() {
        DriverConfig preset = DriverConfig.defaults();
        assertEquals(100_000_000, preset.conductor().thresholdNs());
        assertEquals(100_000_000, preset.sender().thresholdNs());
        assertEquals(100_000_000, preset.receiver().thresholdNs());
        DriverConfig config =
                sources()
                        .environment(
                                Map.of(
                                        "AERON_DRIVER_CONDUCTOR_CYCLE_THRESHOLD", "1",
                                        "AERON_DRIVER_SENDER_CYCLE_THRESHOLD", "2ms"))
                        .properties(properties("aeron.driver.receiver.cycle.threshold", "7200s"))
                        .set("sender.idle", "yield", "option --sender.idle")
                        .set("receiver.cpu", "1", "option --receiver.cpu")
                        .build();
        assertEquals(1, config.conductor().thresholdNs());
        assertEquals(2_000_000, config.sender().thresholdNs());
        assertEquals(7_200_000_000_000L, config.receiver().thresholdNs());
        assertThrows(BusException.class, () -> DriverConfig.builder().senderThresholdNs(0));
    }

    @Test
    void prefersVerbusOverAeronDirectoryName() {
        Map<String, String> both = Map.of("AERON_DIR", "/a", "VERBUS_DIR", "/b");
        assertEquals(
                Path.of("/a"),
                sources().environment(Map.of("AERON_DIR", "/a")).build().directory());
        assertEquals(Path.of("/b"), sources().environment(both).build().directory());
        assertEquals(
                Path.of("/c"),
                sources()
                        .environment(both)
                        .properties(properties("aeron.dir", "/c"))
                        .build()
                        .directory());
        assertEquals(
                Path.of("/d"),
                sources()
                        .properties(properties("verbus.dir", "/d", "aeron.dir", "/c"))
                        .build()
                        .directory());
    }

    @Test
    void suggestsNameInFormOfSource() {
        String variable =
                Drivers.refusal(
                        () -> sources().environment(Map.of("VERBUS_TERM_LENGHT", "64k")).build());
        assertTrue(
                variable.startsWith(
                        "environment variable VERBUS_TERM_LENGHT is not a driver setting (did you"
                                + " mean 'VERBUS_TERM_LENGTH'?): use one of "),
                variable);
        String property =
                Drivers.refusal(
                        () -> sources().properties(properties("verbus.linger2", "1s")).build());
        assertTrue(
                property.startsWith(
                        "system property verbus.linger2 is not a driver setting (did you mean"
                                + " 'linger'?): use one of "),
                property);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "term-lenght | 64k | is not a driver setting",
                "rdma. | 1 | is not a driver setting",
                "udp.mtu | 1 | is not a driver setting",
                "term-length | many | it must be a power of two from 64k to 1g",
                "term-length | 4g | it must be a power of two from 64k to 1g",
                "threading | fast | it must be dedicated, shared_network, shared or invoker",
                "conductor.idle | nap | it must be busy_spin, yield, backoff, sleep or noop",
                "sender.cpu | two | it must be a whole number from -1 to 1023",
                "sender.cpu | 5000 | it must be a whole number from -1 to 1023",
                "linger | 5 parsecs | it must be from 0ns to 86400s",
                "metrics | nowhere | it must be an address of this host and a port",
                "resolver.name | two words | it must be a name of 1 to 512 printable ASCII",
                "resolver.interface | {lo | it must be ADDRESS or {NAME} of an interface",
                "resolver.bootstrap-neighbor | host | it must be at most 20 addresses",
                "resolver.self-resolution-interval | 0ms | it must be from 1ms to 86400s",
            })
    void rejectsInvalidSettingAndNamesSource(String name, String value, String problem) {
        String text = Drivers.refusal(() -> sources().set(name, value, "system property " + name));
        assertTrue(text.contains(problem), text);
        assertTrue(text.contains("system property " + name), text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "term-length | 100000 | it must be a power of two from 64k to 1g",
                "mtu | 100 | it must be a multiple of 32 from 64 to 65504",
                "client-liveness-timeout | 1ms | it must be from 50ms to 86400s",
                "unblock-timeout | 1s | is below the client-liveness-timeout",
                "to-driver-length | 100k | it must be a power of two from 64k to 256m",
                "error-log-length | 1g | it must be a power of two from 64k to 256m",
                "ipc-window | -1 | ipc-window has the invalid value",
            })
    void rejectsValueOutOfRange(String name, String value, String problem) {
        String text = Drivers.refusal(() -> sources().set(name, value, name).build());
        assertTrue(text.contains(problem), text);
    }

    @Test
    void rejectsValueOutOfRangeFromBuilder() {
        String text =
                Drivers.refusal(
                        () -> DriverConfig.builder().clientLivenessTimeoutNs(1_000_000).build());
        assertEquals("client-liveness-timeout is 1000000ns: it must be from 50ms to 86400s", text);
    }

    @Test
    void rejectsUnknownVariableOrProperty() {
        String text =
                Drivers.refusal(() -> sources().environment(Map.of("VERBUS_TERM_LENGHT", "1m")));
        assertTrue(text.contains("VERBUS_TERM_LENGHT"), text);
        text = Drivers.refusal(() -> sources().properties(properties("verbus.mut", "1k")));
        assertTrue(text.contains("verbus.mut"), text);
    }

    @Test
    void rejectsMissingFile() {
        String text = Drivers.refusal(() -> sources().file(folder.resolve("none")));
        assertTrue(text.contains("cannot read the properties file "), text);
    }

    @Test
    void readsAeronNamesAndReportsUnknownNames() {
        DriverConfigSources sources =
                new DriverConfigSources(DriverConfig.builder(), List.of("udp"))
                        .environment(
                                Map.of(
                                        "AERON_TERM_BUFFER_LENGTH", "65536",
                                        "AERON_THREADING_MODE", "SHARED",
                                        "AERON_SOCKET_SO_RCVBUF", "128k",
                                        "AERON_SOCKET_SO_SNDBUF", "0",
                                        "AERON_DRIVER_TERMINATION_VALIDATOR", "allow",
                                        "AERON_CLIENT_LIVENESS_TIMEOUT", "5000000000",
                                        "AERON_EVENT_LOG", "all",
                                        "VERBUS_MTU", "2048"))
                        .properties(properties("aeron.mtu.length", "1408", "aeron.print", "x"));
        DriverConfig config = sources.build();
        assertEquals(65536, config.termLength());
        assertEquals(ThreadingMode.SHARED, config.threading());
        assertEquals(Map.of("udp.receive-buffer", "128k"), config.transportOptions());
        assertTrue(config.terminable());
        assertEquals(5_000_000_000L, config.clientLivenessTimeoutNs());
        assertEquals(1408, config.mtu());
        assertEquals(List.of("AERON_EVENT_LOG", "aeron.print"), List.copyOf(sources.unused()));
        assertEquals(List.of("AERON_EVENT_LOG", "aeron.print"), sources.build().unusedOptions());
    }

    @ParameterizedTest
    @CsvSource({
        "AERON_UNICAST_FLOWCONTROL_SUPPLIER, aeron_unicast_flow_control_strategy_supplier,"
                + " unicast-flow-control, max",
        "AERON_MULTICAST_FLOWCONTROL_SUPPLIER, aeron_max_multicast_flow_control_strategy_supplier,"
                + " flow-control, max",
        "AERON_MULTICAST_FLOWCONTROL_SUPPLIER, aeron_min_flow_control_strategy_supplier,"
                + " flow-control, min",
        "AERON_MULTICAST_FLOWCONTROL_SUPPLIER, io.aeron.driver.TaggedMulticastFlowControlSupplier,"
                + " flow-control, tagged",
        "AERON_MULTICAST_FLOW_CONTROL_STRATEGY, io.aeron.driver.MinMulticastFlowControl,"
                + " flow-control, min",
        "AERON_MULTICAST_FLOWCONTROL_SUPPLIER, com.example.Own, flow-control, com.example.Own",
        "AERON_FLOW_CONTROL_GROUP_TAG, -7, flow-control-tag, -7",
        "AERON_FLOW_CONTROL_GROUP_MIN_SIZE, 3, flow-control-group-size, 3",
        "AERON_FLOW_CONTROL_RECEIVER_TIMEOUT, 2s, receiver-timeout, 2s",
        "AERON_RECEIVER_GROUP_TAG, 9, group-tag, 9",
        "AERON_NAK_UNICAST_DELAY, 0, nak-delay, 0",
        "AERON_NAK_MULTICAST_MAX_BACKOFF, 5ms, nak-backoff, 5ms",
        "AERON_MAX_RESEND, 5, max-resend, 5"
    })
    void readsUdpOptionsByAeronNames(String variable, String value, String option, String set) {
        DriverConfig config =
                new DriverConfigSources(DriverConfig.builder(), List.of("udp"))
                        .environment(Map.of(variable, value))
                        .build();
        assertEquals(Map.of("udp." + option, set), config.transportOptions());
    }

    @ParameterizedTest
    @CsvSource({
        "1, true",
        "on, true",
        "true, true",
        "TRUE, true",
        "0, false",
        "off, false",
        "false, false"
    })
    void parsesBooleansLikeAeron(String word, boolean value) {
        DriverConfig config =
                new DriverConfigSources(DriverConfig.builder(), List.of())
                        .environment(
                                Map.of(
                                        "AERON_DIR_DELETE_ON_SHUTDOWN", word,
                                        "AERON_SPIES_SIMULATE_CONNECTION", word,
                                        "AERON_TETHER_SUBSCRIPTIONS", word,
                                        "AERON_REJOIN_STREAM", word))
                        .build();
        assertEquals(value, config.deleteOnShutdown());
        assertEquals(value, config.spiesConnect());
        assertEquals(value, config.tetherSubscriptions());
        assertEquals(value, config.rejoinStream());
    }

    @Test
    void rejectsInvalidBooleanByAeronName() {
        String text =
                Drivers.refusal(
                        () -> sources().environment(Map.of("AERON_REJOIN_STREAM", "perhaps")));
        assertTrue(text.contains("AERON_REJOIN_STREAM"), text);
        assertTrue(text.contains("'perhaps'"), text);
    }

    @Test
    void ignoresAeronOptionOfAbsentTransport() {
        DriverConfig config =
                new DriverConfigSources(DriverConfig.builder(), List.of())
                        .environment(Map.of("AERON_SOCKET_SO_RCVBUF", "128k"))
                        .build();
        assertEquals(Map.of(), config.transportOptions());
    }

    @Test
    void rejectsInvalidValueByAeronName() {
        BusException refused =
                assertThrows(
                        BusException.class,
                        () ->
                                new DriverConfigSources(DriverConfig.builder(), List.of())
                                        .environment(Map.of("AERON_TERM_BUFFER_LENGTH", "7")));
        assertTrue(refused.getMessage().contains("AERON_TERM_BUFFER_LENGTH"));
    }
}
