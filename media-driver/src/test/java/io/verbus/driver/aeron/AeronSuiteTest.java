// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Classes of Aeron's own system tests pass with {@code tools/aeronmd} as their external driver. The
 * environment variable AERON_SUITE names a folder with the program {@code run}, which is called
 * {@code run CLASS --driver PROGRAM --out FOLDER}, writes a line for each test with its status
 * first to a file {@code *-tests.tsv} there, and fails if a test does.
 */
@Tag("slow")
@EnabledIfEnvironmentVariable(
        named = AeronSuiteTest.FOLDER,
        matches = ".+",
        disabledReason = "AERON_SUITE names no folder with Aeron's system tests")
class AeronSuiteTest {
    static final String FOLDER = "AERON_SUITE";

    @TempDir Path results;

    /** A driver that must first be built would not start within Aeron's timeout. */
    @BeforeAll
    static void build() throws IOException, InterruptedException {
        Process build =
                new ProcessBuilder("../verbus", "build")
                        .inheritIO()
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertEquals(0, build.waitFor());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BufferClaimMessageTest",
                "BytesSentAndReceivedTest",
                "ControlledMessageTest",
                "DataLossAndRecoverySystemTest",
                "MultiSubscriberTest",
                "SystemCountersTest",
                "UntetheredSubscriptionTest"
            })
    @Timeout(400)
    void passesAeronSystemTests(String name) throws IOException, InterruptedException {
        Path log = results.resolve("log");
        Process run =
                new ProcessBuilder(
                                Path.of(System.getenv(FOLDER), "run").toString(),
                                name,
                                "--driver",
                                Path.of("../tools/aeronmd").toRealPath().toString(),
                                "--out",
                                results.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            assertTrue(run.waitFor(390, TimeUnit.SECONDS), "the suite does not end");
        } finally {
            run.destroy();
        }
        List<String> tests = tests();
        List<String> failed = tests.stream().filter(line -> line.startsWith("FAILED")).toList();
        assertEquals(List.of(), failed);
        assertEquals(0, run.exitValue(), Files.readString(log));
        assertTrue(tests.stream().anyMatch(line -> line.startsWith("PASSED")), tests.toString());
    }

    private List<String> tests() throws IOException {
        try (var files = Files.newDirectoryStream(results, "*-tests.tsv")) {
            return Files.readAllLines(files.iterator().next());
        }
    }
}
