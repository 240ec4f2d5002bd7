// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.metrics.Exposition;
import io.verbus.release.Release;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All outputs report the same running build. */
@Timeout(120)
class VersionTest {
    private static String versionOf(String... command) {
        StringWriter out = new StringWriter();
        CommandLine line = Verbus.commandLine().setOut(new PrintWriter(out));
        assertEquals(0, line.execute(command), String.join(" ", command));
        return out.toString();
    }

    @Test
    void releaseMatchesPomVersionAndBuildCommit() throws IOException {
        Matcher version =
                Pattern.compile("<artifactId>verbus-parent</artifactId>\\s*<version>(.*)</version>")
                        .matcher(Files.readString(Path.of("../pom.xml")));
        assertTrue(version.find());
        assertEquals(version.group(1), Release.CURRENT.version());
        String commit = Release.CURRENT.commit();
        assertTrue(commit.matches("[0-9a-f]{10,40}(-dirty)?|unknown"), commit);
    }

    @Test
    void versionNamesBuildJvmAndProtocols() {
        List<String> lines = versionOf("--version").lines().toList();
        assertEquals("verbus " + Release.CURRENT.version(), lines.getFirst());
        assertEquals("commit: " + Release.CURRENT.commit(), lines.get(1));
        assertTrue(lines.get(2).startsWith("jdk: " + Runtime.version() + " ("), lines.get(2));
        assertEquals("shared memory: 0.2.0", lines.get(3));
        assertEquals("control protocol: 1.0.0", lines.get(4));
        List<String> protocols = lines.subList(5, lines.size());
        assertTrue(protocols.contains("udp protocol: 0 (Aeron's)"), lines.toString());
    }

    @Test
    void eachSubcommandPrintsVersion() {
        String expected = versionOf("--version");
        List<String> names = List.copyOf(Verbus.commandLine().getSubcommands().keySet());
        assertTrue(names.contains("stat") && names.contains("driver"), names.toString());
        for (String name : names) {
            assertEquals(expected, versionOf(name, "-V"), name);
        }
    }

    @Test
    void driverPrintsBuildInReadyLineAndMetrics() {
        Path directory = DriverDirectory.uniquePath();
        try (ChildProcess driver =
                ChildProcess.start(MediaDriver.class, "dir=" + directory, "threading=shared")) {
            String build = Release.CURRENT.text() + " jdk=" + Release.jdk();
            String ready = driver.awaitLine("verbus driver ready");
            assertTrue(ready.endsWith(" " + build), ready);
            ToolRun run = ToolRun.of("metrics", "--dir", directory.toString());
            assertEquals(0, run.status(), run.err());
            String series =
                    "verbus_build_info{version=\"%s\",commit=\"%s\",jdk=\"%s\"}"
                            .formatted(
                                    Release.CURRENT.version(),
                                    Release.CURRENT.commit(),
                                    Release.jdk());
            assertEquals("1", new Exposition(run.out()).value(series), run.out());
            assertEquals(0, driver.terminate());
        }
    }

    @Test
    void statShowsBuildCounter() {
        try (MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config())) {
            ToolRun run =
                    ToolRun.of(
                            "stat",
                            "--dir",
                            driver.directory().toString(),
                            "--filter",
                            "build_info");
            assertTrue(run.out().strip().endsWith("jdk=" + Release.jdk()), run.out() + run.err());
        }
    }
}
