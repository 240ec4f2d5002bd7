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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Rules of verbs, each broken on purpose: the strict device ends the process and names the rule.
 */
@Tag("lab")
@Tag("strict")
@Timeout(60)
class StrictRulesTest {
    private static final String PROGRAM = "breaks";

    /** Folder of the device and of that program, which lab/strict has built. */
    private static final Path FOLDER =
            Path.of(System.getenv().getOrDefault("LD_LIBRARY_PATH", "").split(":")[0]);

    private static final Path SOURCES = FOLDER.resolve("../../transport-rdma/src/test/c");

    private record Run(int status, String output) {}

    private static Run run(String rule, String profile) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(FOLDER.resolve(PROGRAM).toString()).redirectErrorStream(true);
        if (!rule.isEmpty()) {
            builder.command().add(rule);
        }
        builder.environment().put("STRICT_DEVICE", profile);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }

    @Test
    void passesWithoutViolation() throws Exception {
        assertEquals(new Run(0, ""), run("", "ib"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "access-flags",
                "atomic-word",
                "changed-before-completion",
                "channel-with-ids",
                "completion-queue-overrun",
                "deregistered-while-posted",
                "id-with-queue-pair",
                "inline-too-long",
                "local-access",
                "local-bounds",
                "local-domain",
                "local-key",
                "opcode",
                "port-space",
                "post-before-connected",
                "receive-queue-overflow",
                "send-queue-overflow",
                "too-many-pieces",
                "two-threads-post",
                "unacknowledged-event",
                "use-after-close",
                "use-after-destroy"
            })
    void namesBrokenRule(String rule) throws Exception {
        assertNamed(rule, run(rule, "ib"));
    }

    @Test
    void namesBrokenRuleOfSpecificAdapter() throws Exception {
        assertNamed("first-to-speak", run("first-to-speak", "iwarp"));
        assertNamed("message-too-long", run("message-too-long", "small"));
        assertNamed("opcode", run("atomic-word", "irdma"));
        assertNamed("zero-length-piece", run("zero-length-piece", "mlx5"));
    }

    /** Each rule in the device's sources is broken here, except those that no program can break. */
    @Test
    void coversEveryRule() throws IOException {
        Pattern rule = Pattern.compile("RULE\\(\"([a-z-]+)\"");
        Set<String> named = new TreeSet<>();
        try (Stream<Path> sources = Files.list(SOURCES.resolve("strict"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                rule.matcher(Files.readString(source))
                        .results()
                        .forEach(r -> named.add(r.group(1)));
            }
        }
        named.remove("device"); // a message that only the device itself sends
        String breaks = Files.readString(SOURCES.resolve("rules/breaks.c"));
        named.removeIf(name -> breaks.contains("BREAKS(\"" + name + "\")"));
        assertEquals(Set.of(), named);
    }

    private static void assertNamed(String rule, Run run) {
        assertNotEquals(0, run.status());
        assertTrue(run.output().contains("broken rule " + rule + ":"), run.output());
    }
}
