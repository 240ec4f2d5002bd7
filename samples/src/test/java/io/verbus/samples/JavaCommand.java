// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import java.util.ArrayList;
import java.util.List;

/** Builds the command line that runs a class on this JVM and class path. */
public final class JavaCommand {
    private JavaCommand() {}

    /**
     * @param main name of the class to run.
     * @param flags JVM flags in addition to those that Verbus needs.
     * @param arguments arguments of the class.
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
