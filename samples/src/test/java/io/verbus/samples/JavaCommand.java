// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import java.util.ArrayList;
import java.util.List;

/** The command line that runs a class on this JVM and class path. */
public final class JavaCommand {
    private JavaCommand() {}

    /**
     * @param main class to run.
     * @param flags of the JVM, beyond those that Verbus needs.
     * @param arguments of the class.
     */
    public static List<String> of(String main, List<String> flags, List<String> arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                System.getProperty("java.home") + "/bin/java",
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                                "-XX:+UseParallelGC"));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(arguments);
        return command;
    }
}
