// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Rules of verbs, each broken on purpose: the strict device ends the process with their names. */
@Tag("lab")
@Tag("strict")
@Timeout(60)
class StrictRulesTest {
    private static final String PROGRAM = "breaks";

    private record Run(int status, String output) {}

    private static Run run(String rule, String profile) throws IOException, InterruptedException {
        Path folder = Path.of(System.getenv("LD_LIBRARY_PATH").split(":")[0]);
        ProcessBuilder builder =
                new ProcessBuilder(folder.resolve(PROGRAM).toString()).redirectErrorStream(true);
        if (!rule.isEmpty()) {
            builder.command().add(rule);
        }
        builder.environment().put("STRICT_DEVICE", profile);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }

    @Test
    void findsNothingWhereNothingIsBroken() throws Exception {
        assertEquals(new Run(0, ""), run("", "ib"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "access-flags",
                "channel-with-ids",
                "id-with-queue-pair",
                "inline-too-long",
                "local-access",
                "local-bounds",
                "local-domain",
                "local-key",
                "post-before-connected",
                "receive-queue-overflow",
                "send-queue-overflow",
                "too-many-pieces",
                "two-threads-post",
                "unacknowledged-event",
                "use-after-close",
                "use-after-destroy"
            })
    void namesRuleThatIsBroken(String rule) throws Exception {
        assertNamed(rule, run(rule, "ib"));
    }

    @Test
    void namesRulesOfCertainAdapters() throws Exception {
        assertNamed("message-too-long", run("message-too-long", "small"));
        assertNamed("zero-length-piece", run("zero-length-piece", "mlx5"));
    }

    private static void assertNamed(String rule, Run run) {
        assertNotEquals(0, run.status());
        assertTrue(run.output().contains("broken rule " + rule + ":"), run.output());
    }
}
