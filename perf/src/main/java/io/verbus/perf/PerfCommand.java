// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.driver.tools.VerbusCommand;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups the measurement commands. */
@Command(
        name = "perf",
        mixinStandardHelpOptions = true,
        description = "Measures Verbus, alone or beside a peer.",
        subcommands = {
            RttCommand.class,
            ThroughputCommand.class,
            CompareCommand.class,
            DiffCommand.class,
            ArchiveCommand.class,
            ClusterCommand.class,
            WarmupCommand.class,
            SystemCallsCommand.class,
            PausesCommand.class,
            JmhCommand.class,
            ServeCommand.class
        })
public final class PerfCommand implements VerbusCommand, Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "perf needs a measurement to run, for example: verbus perf" + " rtt");
    }
}
