// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

@Timeout(120)
class StandardOutputTest {
    private record Ended(int status, String err) {}

    /** Runs {@code verbus completion bash} with the shell's redirection appended. */
    private static Ended run(String redirection) throws IOException, InterruptedException {
        String command =
                Stream.of(
                                System.getProperty("java.home") + "/bin/java",
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Verbus.class.getName(),
                                "completion",
                                "bash")
                        .map(word -> "'" + word + "'")
                        .collect(Collectors.joining(" "));
        Process shell =
                new ProcessBuilder(List.of("bash", "-o", "pipefail", "-c", command + redirection))
                        .start();
        String err = new String(shell.getErrorStream().readAllBytes());
        return new Ended(shell.waitFor(), err);
    }

    @Test
    void reportsThatOutputCouldNotBeWritten() throws Exception {
        Ended ended = run(" >/dev/full");
        assertEquals(1, ended.status(), ended.err());
        assertEquals(1, ended.err().lines().count(), ended.err());
        assertTrue(ended.err().startsWith("verbus: cannot write all of"), ended.err());
    }

    @Test
    void ignoresClosedPipe() throws Exception {
        assertEquals(new Ended(0, ""), run(" | true"));
    }

    @Test
    void succeedsWhenAllIsWritten() throws Exception {
        assertEquals(new Ended(0, ""), run(" >/dev/null"));
    }
}
