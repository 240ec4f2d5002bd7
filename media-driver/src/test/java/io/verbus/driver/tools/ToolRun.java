// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Result of a {@code verbus} command: exit status, output, and error output. */
public record ToolRun(int status, String out, String err) {
    /** Runs a command within this process. */
    public static ToolRun of(String command, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Verbus.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        String[] all = Stream.concat(Stream.of(command), Stream.of(args)).toArray(String[]::new);
        int status = line.execute(all);
        return new ToolRun(status, out.toString(), err.toString());
    }

    /** Returns the command line that runs a command in its own process. */
    public static List<String> commandLine(String... args) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                System.getProperty("java.home") + "/bin/java",
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ToolRun.class.getName()));
        command.addAll(List.of(args));
        return command;
    }

    /** Runs a command in its own process, and captures its output. */
    public static void main(String[] args) {
        CommandLine line = Verbus.commandLine();
        line.setErr(new PrintWriter(System.out, true));
        System.exit(line.execute(args));
    }
}
