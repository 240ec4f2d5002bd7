// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools.usage;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code verbus completion}: prints a script that lets a shell complete commands and options. */
@Command(
        name = "completion",
        description = {
            "Prints a script that lets a shell complete the commands and options of verbus.",
            "For the current shell, run: source <(verbus completion bash). For every new shell, add"
                    + " that line to ~/.bashrc, or to ~/.zshrc with zsh instead of bash."
        },
        mixinStandardHelpOptions = true)
public final class CompletionCommand implements Callable<Integer> {
    private static final List<String> SHELLS = List.of("bash", "zsh");

    /** Environment variable set by the launcher in a clone. */
    private static final String HOME = "VERBUS_HOME";

    /** Commands that the launchers of the clone and of the archive run themselves. */
    private static final List<String> OF_CLONE = List.of("test", "build", "format", "lab", "help");

    private static final List<String> OF_ARCHIVE = List.of("train", "help");

    @Spec private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "SHELL", description = "bash or zsh")
    private String shell;

    @Override
    public Integer call() {
        if (!SHELLS.contains(shell)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "there is no completion for shell '" + shell + "': use bash or zsh");
        }
        CommandLine root = spec.root().commandLine();
        Map<String, CommandLine> known = root.getSubcommands();
        for (String each : System.getenv(HOME) == null ? OF_ARCHIVE : OF_CLONE) {
            if (!known.containsKey(each)) {
                root.addSubcommand(each, CommandSpec.create().mixinStandardHelpOptions(true));
            }
        }
        // The same script works in both shells: in zsh it loads bashcompinit.
        spec.commandLine().getOut().print(AutoComplete.bash("verbus", root));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
