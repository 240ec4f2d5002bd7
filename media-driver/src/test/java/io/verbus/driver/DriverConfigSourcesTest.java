// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    void whatIsReadLaterWins() throws IOException {
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "term-lenght | 64k | is no setting of the driver",
                "rdma. | 1 | is no setting of the driver",
                "udp.mtu | 1 | is no setting of the driver",
                "term-length | many | give bytes below 2g",
                "term-length | 4g | give bytes below 2g",
                "threading | fast | give one of dedicated, shared_network, shared, invoker",
                "conductor.idle | nap | give one of busy_spin, yield, backoff, sleep, noop",
                "sender.cpu | two | give a whole number",
                "sender.cpu | 5000 | CPU 5000 is not from 0 to 1023",
                "linger | 5 parsecs | give a time",
            })
    void aWrongNameOrTextIsRefusedWithItsPlace(String name, String value, String problem) {
        String text = Drivers.refusal(() -> sources().set(name, value, "system property " + name));
        assertTrue(text.contains(problem), text);
        assertTrue(text.contains("system property " + name), text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "term-length | 100000 | term length 100000",
                "mtu | 100 | MTU 100",
                "client-liveness-timeout | 1ms | client-liveness-timeout of 1000000 ns",
                "unblock-timeout | 1s | is below the client-liveness-timeout",
                "to-driver-length | 100k | to-driver-length 102400",
                "error-log-length | 1g | error-log-length 1073741824",
                "ipc-window | -1 | ipc-window has the bad value",
            })
    void aValueOutOfRangeIsRefused(String name, String value, String problem) {
        String text = Drivers.refusal(() -> sources().set(name, value, name).build());
        assertTrue(text.contains(problem), text);
    }

    @Test
    void anUnknownVariableOrPropertyIsRefusedByItsName() {
        String text =
                Drivers.refusal(() -> sources().environment(Map.of("VERBUS_TERM_LENGHT", "1m")));
        assertTrue(text.contains("VERBUS_TERM_LENGHT"), text);
        text = Drivers.refusal(() -> sources().properties(properties("verbus.mut", "1k")));
        assertTrue(text.contains("verbus.mut"), text);
    }

    @Test
    void aMissingFileIsRefusedByItsPath() {
        String text = Drivers.refusal(() -> sources().file(folder.resolve("none")));
        assertTrue(text.contains("none cannot be read"), text);
    }
}
