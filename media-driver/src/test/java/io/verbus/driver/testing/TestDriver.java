// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.testing;

import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfigBuilder;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A driver that a test starts in a directory: embedded, or in a process that can be killed. */
interface TestDriver extends AutoCloseable {
    /** Starts drivers. */
    interface Launcher {
        TestDriver launch(Path directory);
    }

    /** Ends the driver as a crash would. */
    void kill();

    @Override
    void close();

    /** The driver in this process, or null. */
    default MediaDriver embedded() {
        return null;
    }

    /** Returns the launcher of embedded drivers. */
    static Launcher embedded(Supplier<DriverConfigBuilder> settings) {
        return directory -> {
            MediaDriver driver = MediaDriver.launch(settings.get().directory(directory).build());
            return new TestDriver() {
                @Override
                public void kill() {
                    throw new IllegalStateException(
                            "an embedded driver cannot be killed: create the extension with"
                                    + " VerbusExtension.process()");
                }

                @Override
                public void close() {
                    driver.close();
                }

                @Override
                public MediaDriver embedded() {
                    return driver;
                }
            };
        };
    }

    /** Returns the launcher of driver processes with this JVM's class path. */
    static Launcher process(List<String> settings) {
        return directory -> new OwnProcess(directory, settings);
    }

    /** A driver in its own process. */
    final class OwnProcess implements TestDriver {
        private static final int END_SECONDS = 20;

        private final Process process;

        OwnProcess(Path directory, List<String> settings) {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
            command.add("-XX:+UseSerialGC");
            command.add("-cp");
            command.add(System.getProperty("java.class.path"));
            command.add(MediaDriver.class.getName());
            command.addAll(settings);
            command.add("dir=" + directory);
            try {
                process =
                        new ProcessBuilder(command)
                                .redirectError(ProcessBuilder.Redirect.INHERIT)
                                .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            awaitReady();
        }

        private void awaitReady() {
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            try {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    if (line.startsWith("verbus driver ready")) {
                        return;
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            kill();
            throw new IllegalStateException(
                    "the driver process ended before it was ready: its error is on standard error");
        }

        @Override
        public void kill() {
            process.destroyForcibly();
            awaitEnd();
        }

        @Override
        public void close() {
            process.destroy();
            awaitEnd();
        }

        private void awaitEnd() {
            try {
                if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new IllegalStateException(
                            "driver process "
                                    + process.pid()
                                    + " had to be killed: it did not end within "
                                    + END_SECONDS
                                    + " s");
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
