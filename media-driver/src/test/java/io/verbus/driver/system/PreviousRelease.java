// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;

import org.junit.jupiter.api.Assumptions;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The driver of the previous release, built by {@code tools/before}. */
final class PreviousRelease {
    private static final int NO_HISTORY = 3;
    private static final long BUILD_MINUTES = 30;
    private static final int MESSAGES = 2_000;

    private PreviousRelease() {}

    /** Its class path; skips the test if the repository's history lacks it. */
    static String classPath() throws IOException, InterruptedException {
        Process build =
                new ProcessBuilder(program().toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String classes = new String(build.getInputStream().readAllBytes()).strip();
        if (!build.waitFor(BUILD_MINUTES, TimeUnit.MINUTES)) {
            build.destroyForcibly();
            throw new AssertionError("tools/before has not ended in time");
        }
        Assumptions.assumeTrue(
                build.exitValue() != NO_HISTORY,
                "the repository's history does not have the release before: git fetch --unshallow");
        if (build.exitValue() != 0) {
            throw new AssertionError("tools/before has failed; its words are above");
        }
        String libraries =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(part -> part.endsWith(".jar") && !part.contains("verbus-"))
                        .collect(Collectors.joining(File.pathSeparator));
        return classes + File.pathSeparator + libraries;
    }

    private static Path program() {
        for (Path folder = Path.of("").toAbsolutePath();
                folder != null;
                folder = folder.getParent()) {
            Path program = folder.resolve("tools/before");
            if (Files.isExecutable(program)) {
                return program;
            }
        }
        throw new AssertionError("there is no tools/before above " + Path.of("").toAbsolutePath());
    }

    private static Bus connect(Path directory) {
        return Bus.connect(
                new BusContext()
                        .directoryName(directory.toString())
                        .driverTimeout(Duration.ofSeconds(60)));
    }

    /**
     * Has messages go from one driver to another, of which one is of the release before.
     *
     * @param folder of the test.
     * @param isPublisher whether that one publishes; else it subscribes.
     * @param publication channel.
     * @param subscription channel.
     * @param settings of both drivers.
     */
    static void exchange(
            Path folder,
            boolean isPublisher,
            String publication,
            String subscription,
            String... settings)
            throws Exception {
        String before = classPath();
        String now = System.getProperty("java.class.path");
        Path a = Path.of("/dev/shm/verbus-before-a-" + ProcessHandle.current().pid());
        Path b = Path.of("/dev/shm/verbus-before-b-" + ProcessHandle.current().pid());
        Script script = Script.upTo(20, 1000);
        try (Child driverA = Child.driver(isPublisher ? before : now, folder, a, settings);
                Child driverB = Child.driver(isPublisher ? now : before, folder, b, settings)) {
            try (Bus publisher = connect(a);
                    Bus subscriber = connect(b);
                    Subscription in = subscriber.addSubscription(subscription, 1);
                    Publication out = publisher.addPublication(publication, 1);
                    Tasks tasks = new Tasks()) {
                Reader reader = Reader.fromFirst(script);
                tasks.start(() -> reader.read(in, MESSAGES));
                new Writer(out, script).write(MESSAGES);
                tasks.join(120);
            }
            ErrorLog.assertOnly(a, List.of());
            ErrorLog.assertOnly(b, List.of());
            driverA.terminate();
            driverB.terminate();
        }
    }
}
