// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.LossReport;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.concurrent.Callable;

/** {@code verbus losses}: prints how much data was lost on the way to a driver. */
@Command(
        name = "losses",
        description = {
            "Prints how much data was lost on the way to a driver, by stream, session and source.",
            "Also works for a driver that has ended; the exit status is then 1."
        },
        mixinStandardHelpOptions = true)
final class LossesCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(names = "--json", description = "prints JSON")
    private boolean isJson;

    @Override
    public Integer call() {
        try (CncFile cnc = directory.map();
                LossReport report = directory.mapLosses()) {
            PrintWriter out = spec.commandLine().getOut();
            if (isJson) {
                out.println(json(report));
            } else {
                print(report, out);
            }
            out.flush();
            directory.checkRunning(cnc);
        }
        return 0;
    }

    private static JsonRows json(LossReport report) {
        JsonRows json = new JsonRows();
        report.forEach(
                (observations, bytes, first, last, stream, session, channel, source) ->
                        json.begin()
                                .put("stream", stream)
                                .put("session", session)
                                .put("channel", channel)
                                .put("source", source)
                                .put("observations", observations)
                                .put("bytes", bytes)
                                .put("first", Instant.ofEpochMilli(first).toString())
                                .put("last", Instant.ofEpochMilli(last).toString())
                                .end());
        return json;
    }

    private static void print(LossReport report, PrintWriter out) {
        int entries =
                report.forEach(
                        (observations, bytes, first, last, stream, session, channel, source) ->
                                out.printf(
                                        "stream %d session %d at %s from %s: %d gaps, %d bytes,"
                                                + " from %s to %s%n",
                                        stream,
                                        session,
                                        channel,
                                        source,
                                        observations,
                                        bytes,
                                        Instant.ofEpochMilli(first),
                                        Instant.ofEpochMilli(last)));
        out.println(
                switch (entries) {
                    case 0 -> "no losses";
                    case 1 -> "1 stream with losses";
                    default -> entries + " streams with losses";
                });
    }
}
