// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.driver.metrics.ReadCounters;

import org.agrona.concurrent.status.CountersReader;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** {@code verbus stat}: all counters of a driver. */
@Command(
        name = "stat",
        description = "Prints the counters of a running driver.",
        mixinStandardHelpOptions = true)
final class StatCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(names = "--json", description = "as JSON")
    private boolean isJson;

    @Override
    public Integer call() {
        try (CncFile cnc = directory.map()) {
            directory.checkRunning(cnc);
            ReadCounters all = new ReadCounters(cnc);
            CountersReader counters = all.values();
            PrintWriter out = spec.commandLine().getOut();
            if (isJson) {
                Json json = new Json();
                all.forEach(
                        (id, type, key, label) ->
                                json.begin()
                                        .put("id", id)
                                        .put("type", type)
                                        .put("value", counters.getCounterValue(id))
                                        .put("label", label)
                                        .end());
                out.println(json);
            } else {
                all.forEach(
                        (id, type, key, label) ->
                                out.printf(
                                        "%5d %,24d  %s%n",
                                        id, counters.getCounterValue(id), label));
            }
            out.flush();
        }
        return 0;
    }
}
