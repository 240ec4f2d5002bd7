// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.kit;

import io.verbus.BusException;
import io.verbus.driver.tools.VerbusCommand;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoTransport;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Runs what tells how Verbus does on this host's RDMA adapters, and writes it to one file. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        description = {
            "Examines this host, runs the tests that need RDMA devices, measures Verbus beside"
                + " perftest, Aeron and bare verbs on them, and writes all of it to one file, to"
                + " send to those who develop Verbus.",
            "The file names no host, user, address or folder: each is replaced. Read it before you"
                    + " send it. The tests need the tree of the sources, built once by `./verbus"
                    + " test`; without it they are left out, and the file says so.",
            "Exit status: 0 if all went well, 1 if a part failed; the file is written all the same."
        })
public final class ReportCommand implements VerbusCommand, Callable<Integer> {
    private static final int MAX_MINUTES = 24 * 60;

    @Spec private CommandSpec spec;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "What to write (default: ${DEFAULT-VALUE}).")
    private Path file = Path.of("verbus-report.md");

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "Limit of the whole run (default: ${DEFAULT-VALUE}).")
    private int minutes = 30;

    @Option(
            names = "--no-tests",
            description = "Leaves out the tests, which take the most of the time.")
    private boolean isWithoutTests;

    @Option(
            names = "--from",
            paramLabel = "ADDRESS",
            description = "Address of an RDMA device's interface; needs --to.")
    private String from;

    @Option(
            names = "--to",
            paramLabel = "ADDRESS",
            description = "Address of another of this host, or the same; needs --from.")
    private String to;

    @Override
    public Integer call() throws InterruptedException {
        if (minutes < 1 || minutes > MAX_MINUTES) {
            throw wrong("--minutes takes a number from 1 to " + MAX_MINUTES + ", not " + minutes);
        }
        if ((from == null) != (to == null)) {
            throw wrong("--from and --to go together: give both addresses or none");
        }
        DemoNetwork network = network();
        try {
            Path folder = Files.createTempDirectory("verbus-report-");
            try {
                Kit kit = new Kit(network, folder, minutes, !isWithoutTests, System.err);
                String report = kit.run();
                Files.writeString(file, report);
                System.out.println(
                        "report: wrote " + file + ", which names nobody: read it, then send it");
                return kit.hasFailed() ? 1 : 0;
            } finally {
                delete(folder);
            }
        } catch (IOException | UncheckedIOException e) {
            throw new BusException(
                    "the report cannot be written ("
                            + e.getMessage()
                            + "): name another --out, or"
                            + " make room in the folder for temporary files",
                    e);
        }
    }

    private DemoNetwork network() {
        try {
            DemoNetwork network = DemoNetwork.find(DemoTransport.RDMA, from, to);
            if (network == null) {
                throw new BusException(
                        "this host has no RDMA device that is up: run the report on one that has,"
                                + " or try it with: ./verbus lab ./verbus report");
            }
            return network;
        } catch (DemoException e) {
            throw new BusException(e.getMessage(), e);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path entry : files.toList()) {
                Files.delete(entry);
            }
        }
        Files.delete(folder);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
