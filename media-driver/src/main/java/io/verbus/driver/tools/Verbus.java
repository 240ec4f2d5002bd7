// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.BusException;
import io.verbus.channel.Spelling;
import io.verbus.driver.tools.usage.CompletionCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;
import java.util.ServiceLoader;

/**
 * The {@code verbus} command with its subcommands, including those of other modules.
 *
 * <p>Exit status: 0 success, 1 failure, 2 wrong usage.
 */
@Command(
        name = "verbus",
        description = "A low-latency messaging bus over RDMA.",
        mixinStandardHelpOptions = true,
        subcommands = {
            StatCommand.class,
            MetricsCommand.class,
            StreamsCommand.class,
            ClientsCommand.class,
            ErrorsCommand.class,
            LossesCommand.class,
            LatencyCommand.class,
            DoctorCommand.class,
            CompletionCommand.class
        })
public final class Verbus implements Runnable {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }

    /** Runs a command, and exits with its status. */
    public static void main(String[] args) {
        int status = commandLine().execute(args);
        System.exit(StandardOutput.isComplete() ? status : FAILED);
    }

    /** Returns the command line with all subcommands on the class path. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Verbus());
        line.addSubcommand("driver", DriverCommand.spec());
        // picocli transforms the models of commands in this constructor, not in addSubcommand.
        ServiceLoader.load(VerbusCommand.class)
                .forEach(command -> line.addSubcommand(new CommandLine(command)));
        line.setExecutionExceptionHandler((e, command, result) -> failed(command, e));
        line.setParameterExceptionHandler((e, args) -> misused(e));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        tellVersion(line);
        return line;
    }

    /** Makes a command and its subcommands print the same version. */
    private static void tellVersion(CommandLine line) {
        line.getCommandSpec().versionProvider(VersionText::lines);
        line.getSubcommands().values().forEach(Verbus::tellVersion);
    }

    private static int failed(CommandLine command, Exception e) {
        PrintWriter err = command.getErr();
        if (e instanceof BusException) {
            err.println("verbus: " + e.getMessage());
        } else {
            err.println("verbus: " + e + ": this is a bug; its stack trace follows");
            e.printStackTrace(err);
        }
        err.flush();
        return FAILED;
    }

    /** Suggests the option or command that the user most likely meant to type. */
    private static String hint(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return "";
        }
        String word = unmatched.getUnmatched().getFirst();
        CommandSpec command = e.getCommandLine().getCommandSpec();
        int value = word.indexOf('=');
        return word.startsWith("-")
                ? Spelling.hint(
                        value < 0 ? word : word.substring(0, value), command.optionsMap().keySet())
                : Spelling.hint(word, command.subcommands().keySet());
    }

    private static int misused(ParameterException e) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(
                "verbus: "
                        + e.getMessage()
                        + hint(e)
                        + ": see "
                        + command.getCommandSpec().qualifiedName()
                        + " --help");
        err.flush();
        return USAGE;
    }
}
