// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.report.Diff;
import io.verbus.perf.report.StoredReport;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Compares the JSON of two measurements of the same work. */
@Command(
        name = "diff",
        mixinStandardHelpOptions = true,
        description = {
            "Compares two measurements of the same work, such as before and after a change, from"
                    + " the files that --json wrote. Prints the ratio SECOND / FIRST of each figure"
                    + " that both files have, its 95 %% confidence interval, and whether the"
                    + " interval shows a difference.",
            "The interval is based on ranks (Hodges-Lehmann, Mann-Whitney). It assumes nothing"
                + " about the distribution, and needs at least four pairs of runs in each file, or"
                + " three in one file and five in the other. Prefer the ratios to a peer, because"
                + " changes on the machine between the two measurements affect Verbus and the peer"
                + " alike. About one in 20 figures shows a difference by chance."
        })
final class DiffCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "FIRST",
            description = "JSON file of the first measurement.")
    private Path first;

    @Parameters(
            index = "1",
            paramLabel = "SECOND",
            description = "JSON file of the second measurement.")
    private Path second;

    @Override
    public Integer call() {
        System.out.print(new Diff(read(first), read(second)).text());
        return 0;
    }

    private static StoredReport read(Path file) {
        try {
            return StoredReport.parse(file.toString(), Files.readString(file));
        } catch (IOException ex) {
            throw new BusException(
                    "cannot read "
                            + file
                            + " ("
                            + ex
                            + "): give a file that a measuring command wrote with --json",
                    ex);
        }
    }
}
