// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Subscription;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.tools.Verbus;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** A program is started without the flags that shared memory takes. */
class MissingFlagsTest {
    @ParameterizedTest
    @ValueSource(classes = {HelloBus.class, SimplePublisher.class})
    @Timeout(60)
    void reportsMissingFlags(Class<?> main) throws Exception {
        isToldBy(main, List.of());
    }

    /** An embedded driver first removes what killed processes have left. */
    @Test
    @Timeout(60)
    void reportsMissingFlagsBesideAbandonedDirectory() throws Exception {
        Path abandoned;
        try (MediaDriver driver = MediaDriver.launchEmbedded()) {
            String name = driver.directory().getFileName().toString();
            abandoned = driver.directory().resolveSibling(name.replaceFirst(".{4}$", "0000"));
            Files.createDirectory(abandoned);
            Files.copy(driver.directory().resolve("cnc.dat"), abandoned.resolve("cnc.dat"));
            Path lock = Files.createFile(abandoned.resolve("lock"));
            Files.setLastModifiedTime(lock, FileTime.fromMillis(0));
        }
        try {
            isToldBy(HelloBus.class, List.of());
        } finally {
            Files.deleteIfExists(abandoned.resolve("cnc.dat"));
            Files.deleteIfExists(abandoned.resolve("lock"));
            Files.deleteIfExists(abandoned);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"driver", "stat", "streams", "errors", "losses"})
    @Timeout(60)
    void commandsReportMissingFlags(String name) throws Exception {
        assertEquals(1, isToldBy(Verbus.class, List.of(name)).lines().count());
    }

    @Test
    @Timeout(60)
    void reportsDeniedNativeAccess() throws Exception {
        List<String> command =
                JavaCommand.of(
                        HelloBus.class.getName(),
                        List.of("--illegal-native-access=deny"),
                        List.of());
        command.removeIf(argument -> argument.startsWith("--enable-native-access"));
        String said = run(command, 1);
        assertTrue(said.contains("this JVM denies native access"), said);
        assertTrue(said.contains("start it with --enable-native-access=ALL-UNNAMED "), said);
        assertFalse(said.contains("ExceptionInInitializerError"), said);
    }

    /** The error names exactly the missing flags, which are those of the guide. */
    @Test
    @Timeout(60)
    void reportsFlagsThatModulesNeed(@TempDir Path folder) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of("-p", modulePath(folder), "--add-modules", "ALL-MODULE-PATH"));
        command.addAll(List.of("-cp", "target/classes", "--illegal-native-access=deny"));
        int first = command.size();
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Bus bus = Bus.connect(new BusContext().directoryName(driver.directory()));
                Subscription subscription = bus.addSubscription("verbus:ipc", 1)) {
            command.add("-Dverbus.dir=" + driver.directory());
            command.addAll(List.of(SimplePublisher.class.getName(), "verbus:ipc", "1"));
            String said = run(command, 1);
            Matcher needed = Pattern.compile("start it with (--\\S+) (--\\S+)").matcher(said);
            assertTrue(needed.find(), said);
            String flags = needed.group(1) + " " + needed.group(2);
            String guide = Files.readString(Path.of("../docs/guide/first-application.md"));
            assertTrue(guide.contains("    " + flags + "\n"), flags);
            command.addAll(first, List.of(needed.group(1), needed.group(2)));
            assertTrue(run(command, 0).startsWith("message 0: position "), "works with them");
            assertEquals(1, subscription.poll((buffer, offset, length, header) -> {}, 1));
        }
    }

    /** Returns a module path with the client's jars, as a user's build assembles it. */
    private static String modulePath(Path folder) throws IOException {
        String agrona =
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(each -> each.matches(".*/agrona-[0-9.]+\\.jar"))
                        .findFirst()
                        .orElseThrow();
        Path api = folder.resolve("verbus-api-1.jar");
        Path codecs = folder.resolve("verbus-codecs-1.jar");
        jar(api, "../bus-api");
        jar(codecs, "../codecs");
        return String.join(File.pathSeparator, api.toString(), codecs.toString(), agrona);
    }

    /** Makes a jar of a module's classes, with the module name that its pom sets. */
    private static void jar(Path jar, String module) throws IOException {
        Matcher name =
                Pattern.compile("<(Automatic-Module-Name)>(.*)</")
                        .matcher(Files.readString(Path.of(module, "pom.xml")));
        assertTrue(name.find(), module);
        Path manifest = Path.of(jar + ".manifest");
        Files.writeString(manifest, name.group(1) + ": " + name.group(2) + "\n");
        int status =
                ToolProvider.findFirst("jar")
                        .orElseThrow()
                        .run(
                                System.out,
                                System.err,
                                "cfm",
                                jar.toString(),
                                manifest.toString(),
                                "-C",
                                module + "/target/classes",
                                ".");
        assertEquals(0, status);
    }

    private static String isToldBy(Class<?> main, List<String> arguments) throws Exception {
        List<String> command = JavaCommand.of(main.getName(), List.of(), arguments);
        command.removeIf(argument -> argument.startsWith("--add-opens"));
        String output = run(command, 1);
        assertTrue(output.contains("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"), output);
        assertTrue(output.contains("--enable-native-access=ALL-UNNAMED"), output);
        assertTrue(!output.contains("IllegalAccessError"), output);
        return output;
    }

    private static String run(List<String> command, int status) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes());
            assertTrue(process.waitFor(50, TimeUnit.SECONDS), "still runs, after: " + output);
            assertEquals(status, process.exitValue(), output);
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
