// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
        List<String> command =
                new ArrayList<>(JavaCommand.of(main.getName(), List.of(), List.of()));
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
        } finally {
            process.destroyForcibly();
        }
    }
}
