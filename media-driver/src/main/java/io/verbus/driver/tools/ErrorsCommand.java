// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;

import org.agrona.concurrent.errors.ErrorLogReader;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.concurrent.Callable;

/** {@code verbus errors}: prints the distinct errors of a driver, even if it has died. */
@Command(
        name = "errors",
        description = {
            "Prints the distinct errors of a driver, each with how often and when it happened.",
            "Those of a driver that was killed are printed too; the exit status is 1 then."
        },
        mixinStandardHelpOptions = true)
final class ErrorsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(names = "--json", description = "as JSON")
    private boolean isJson;

    @Override
    public Integer call() {
        try (CncFile cnc = directory.map()) {
            PrintWriter out = spec.commandLine().getOut();
            if (isJson) {
                Json json = new Json();
                ErrorLogReader.read(
                        cnc.errorLog(),
                        (count, first, last, text) ->
                                json.begin()
                                        .put("count", count)
                                        .put("first", Instant.ofEpochMilli(first).toString())
                                        .put("last", Instant.ofEpochMilli(last).toString())
                                        .put("error", text)
                                        .end());
                out.println(json);
            } else {
                int distinct =
                        ErrorLogReader.read(
                                cnc.errorLog(),
                                (count, first, last, text) ->
                                        out.printf(
                                                "%d times from %s to %s%n%s%n",
                                                count,
                                                Instant.ofEpochMilli(first),
                                                Instant.ofEpochMilli(last),
                                                text));
                out.println(distinct == 0 ? "no errors" : distinct + " distinct errors");
            }
            out.flush();
            directory.checkRunning(cnc);
        }
        return 0;
    }
}
