// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.tools.Verbus;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program is started without the flags that shared memory takes. */
class MissingFlagsTest {
    @ParameterizedTest
    @ValueSource(classes = {HelloBus.class, SimplePublisher.class})
    @Timeout(60)
    void isToldWhichTheyAre(Class<?> main) throws Exception {
        isToldBy(main, List.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"driver", "stat", "streams", "errors", "losses"})
    @Timeout(60)
    void isToldByCommands(String name) throws Exception {
        assertEquals(1, isToldBy(Verbus.class, List.of(name)).lines().count());
    }

    private static String isToldBy(Class<?> main, List<String> arguments) throws Exception {
        List<String> command =
                new ArrayList<>(JavaCommand.of(main.getName(), List.of(), arguments));
        command.removeIf(argument -> argument.startsWith("--add-opens"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes());
            assertTrue(process.waitFor(50, TimeUnit.SECONDS), "still runs, after: " + output);
            assertEquals(1, process.exitValue());
            assertTrue(
                    output.contains("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"), output);
            assertTrue(output.contains("--enable-native-access=ALL-UNNAMED"), output);
            assertTrue(!output.contains("IllegalAccessError"), output);
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
