// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.driver.tools.VerbusCommand;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoTransport;
import io.verbus.perf.run.PerfServer;

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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Writes a report about this host and Verbus on its RDMA adapters to one file. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        description = {
            "Inspects this host, runs the tests that need RDMA devices, measures Verbus beside"
                    + " perftest, Aeron and bare verbs, and writes the results to one file that you"
                    + " can send to the developers of Verbus.",
            "The file is anonymized: names of hosts and users, addresses and directories are"
                    + " replaced. Review it before sending it. The tests need the source tree,"
                    + " built once with `./verbus test`; without it, they are skipped, and the"
                    + " file says so.",
            "Exit status: 0 if everything passed, 1 if a part failed; the file is written in"
                    + " either case."
        })
public final class ReportCommand implements VerbusCommand, Callable<Integer> {
    private static final int MAX_MINUTES = 24 * 60;

    @Spec private CommandSpec spec;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "File to write (default: ${DEFAULT-VALUE}).")
    private Path file = Path.of("verbus-report.md");

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "Time limit for the whole run (default: ${DEFAULT-VALUE}).")
    private int minutes = 30;

    @Option(names = "--no-tests", description = "Skips the tests, which take most of the time.")
    private boolean isWithoutTests;

    @Option(
            names = "--from",
            paramLabel = "ADDRESS",
            description = "Address of an RDMA device's interface; needs --to.")
    private String from;

    @Option(
            names = "--to",
            paramLabel = "ADDRESS",
            description =
                    "Address of another RDMA device's interface of this host, or the same"
                            + " address; needs --from.")
    private String to;

    @Option(
            names = "--server",
            paramLabel = "ADDRESS:PORT",
            description = {
                "Address of `verbus report --serve` on another host to measure with; --to is then"
                        + " an address of an RDMA device on that host."
            })
    private String server = "";

    @Option(
            names = "--serve",
            paramLabel = "ADDRESS:PORT",
            description = {
                "Serves a report that runs on another host: listens at this address until"
                        + " --minutes have passed or it is interrupted; needs --for."
            })
    private String listen;

    @Option(
            names = "--for",
            paramLabel = "ADDRESS",
            description =
                    "Address from which the reporting host connects; connections from other"
                            + " addresses are rejected.")
    private String peer;

    @Override
    public Integer call() throws InterruptedException {
        if (minutes < 1 || minutes > MAX_MINUTES) {
            throw wrong("--minutes takes a number from 1 to " + MAX_MINUTES + ", not " + minutes);
        }
        if ((from == null) != (to == null)) {
            throw wrong("--from needs --to and vice versa: give both options or neither");
        }
        if ((listen == null) != (peer == null)) {
            throw wrong("--serve needs --for and vice versa: give both options or neither");
        }
        if (listen != null && from != null) {
            throw wrong(
                    "--serve uses the addresses that the other host sends: omit --from and"
                            + " --to");
        }
        if (!server.isEmpty() && (listen != null || from == null)) {
            throw wrong("--server needs --from and --to, and cannot be combined with --serve");
        }
        DemoNetwork network = listen == null ? network() : null;
        try {
            Path folder = Files.createTempDirectory("verbus-report-");
            try {
                HostReport hostReport =
                        new HostReport(
                                network, server, folder, minutes, !isWithoutTests, System.err);
                if (listen != null) {
                    serve(hostReport);
                    return 0;
                }
                String report = hostReport.run();
                Files.writeString(file, report);
                System.out.println(
                        "report: wrote " + file + ", anonymized; review it before sending");
                return hostReport.hasFailed() ? 1 : 0;
            } finally {
                delete(folder);
            }
        } catch (IOException | UncheckedIOException e) {
            throw new BusException(
                    "cannot write the report ("
                            + e.getMessage()
                            + "): choose another --out, or free space in the directory for"
                            + " temporary files",
                    e);
        }
    }

    private void serve(HostReport hostReport) {
        PerfServer perf =
                new PerfServer(Endpoint.parse(listen), peer, hostReport.texts(), System.err);
        Runtime.getRuntime().addShutdownHook(new Thread(perf::close, "report-server-end"));
        Thread.ofPlatform()
                .daemon()
                .name("report-limit")
                .start(
                        () -> {
                            LockSupport.parkNanos(TimeUnit.MINUTES.toNanos(minutes));
                            perf.close();
                        });
        System.out.println("report: serving at " + listen + " for " + peer);
        perf.run();
    }

    private DemoNetwork network() {
        try {
            DemoNetwork network = DemoNetwork.find(DemoTransport.RDMA, from, to);
            if (network == null) {
                throw new BusException(
                        "this host has no active RDMA device: run the report on a host that has"
                                + " one, or run `./verbus lab ./verbus report`");
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
