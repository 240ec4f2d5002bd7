// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import io.verbus.BusException;
import io.verbus.driver.tools.Verbus;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.process.JavaProgram;
import io.verbus.perf.process.Lab;
import io.verbus.perf.report.JsonWriter;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.PerfServer;
import io.verbus.rdma.fabric.KernelFiles;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Runs the parts of a report one after the other, and collects their output. */
final class HostReport {
    private static final String HOST = "host";
    private static final String DOCTOR = "doctor";
    private static final List<Contender> PEERS =
            List.of(
                    Contender.FLOOR,
                    Contender.IB_WRITE_LAT,
                    Contender.IB_WRITE_BW,
                    Contender.AERON);

    private static final long DOCTOR_LIMIT_S = 120;
    private static final long TESTS_LIMIT_S = 15L * 60;
    private static final long COMPARE_LIMIT_S = 6L * 60;

    /**
     * Maximum length of a step's output. Longer output loses its beginning, because the end matters
     * most.
     */
    private static final int MAX_LENGTH = 64 * 1024;

    private final DemoNetwork network;
    private final String server;
    private final Path folder;
    private final long deadlineNs;
    private final boolean hasTests;
    private final PrintStream progress;
    private final Anonymizer anonymizer = new Anonymizer();
    private final StringBuilder report = new StringBuilder();
    private boolean hasFailed;

    /**
     * @param network addresses to use for all runs.
     * @param server address of the other host that serves this report, as HOST:PORT; empty if none.
     * @param folder directory for the output of steps.
     * @param minutes time limit for the whole report.
     * @param hasTests whether to include the tests.
     * @param progress stream for progress messages.
     */
    HostReport(
            DemoNetwork network,
            String server,
            Path folder,
            int minutes,
            boolean hasTests,
            PrintStream progress) {
        this.network = network;
        this.server = server;
        this.folder = folder;
        deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
        this.hasTests = hasTests;
        this.progress = progress;
        hideOwner();
    }

    private void hideOwner() {
        try {
            String host = InetAddress.getLocalHost().getHostName();
            anonymizer.hide(host, "HOST");
            anonymizer.hide(host.split("\\.", 2)[0], "HOST");
            anonymizer.hide(InetAddress.getLocalHost().getCanonicalHostName(), "HOST");
        } catch (UnknownHostException e) {
            anonymizer.hide(System.getenv("HOSTNAME"), "HOST");
        }
        anonymizer.hide(server.split(":", 2)[0], "SERVER");
        domains(Path.of("/etc/resolv.conf")).forEach(name -> anonymizer.hide(name, "DOMAIN"));
        anonymizer.hide(System.getenv("VERBUS_HOME"), "VERBUS");
        anonymizer.hide(System.getProperty("java.home"), "JAVA");
        anonymizer.hide(System.getProperty("user.dir"), "HERE");
        String home = System.getProperty("user.home");
        if (home != null && home.length() > 1) {
            anonymizer.hide(home, "HOME");
        }
        String user = System.getProperty("user.name");
        if (!"root".equals(user)) {
            anonymizer.hide(user, "USER");
        }
    }

    /**
     * Returns the host's domains from the resolver's configuration; none if the file cannot be
     * read.
     */
    private static List<String> domains(Path file) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.map(line -> line.strip().split("\\s+"))
                    .filter(words -> words[0].equals("search") || words[0].equals("domain"))
                    .flatMap(words -> Arrays.stream(words).skip(1))
                    .filter(name -> name.length() > 1)
                    .toList();
        } catch (IOException none) {
            return List.of();
        }
    }

    /** Runs all parts; returns the anonymized report. */
    String run() throws IOException, InterruptedException {
        report.append("# Report of Verbus on RDMA adapters\n");
        section(HOST, "", JsonWriter.write(HostFacts.read(KernelFiles.DEVICES)));
        if (!server.isEmpty()) {
            ask(HOST);
            ask(DOCTOR);
        }
        for (Step step : steps()) {
            long leftS = TimeUnit.NANOSECONDS.toSeconds(deadlineNs - System.nanoTime());
            if (leftS < 1) {
                hasFailed = true;
                section(step.name(), "not run: the time limit was reached", "");
                continue;
            }
            progress.println("report: " + step.name() + " …");
            add(step, step.run(folder, leftS));
        }
        return anonymizer.apply(report.toString());
    }

    /** Adds a section from the other host, which anonymizes the text itself. */
    private void ask(String name) {
        try {
            String text = PerfServer.ask(server, network.from(), network.to(), name);
            section("the other host: " + name, "", text);
        } catch (BusException e) {
            hasFailed = true;
            section("the other host: " + name, "failed", e.getMessage());
        }
    }

    /** Returns the texts that a report on another host may request from this one, by name. */
    Map<String, Supplier<String>> texts() {
        return Map.of(
                HOST,
                () -> {
                    try {
                        return anonymizer.apply(
                                JsonWriter.write(HostFacts.read(KernelFiles.DEVICES)));
                    } catch (IOException e) {
                        throw new BusException("cannot read the facts of this host: " + e, e);
                    }
                },
                DOCTOR,
                () -> {
                    try {
                        return anonymizer.apply(doctor().run(folder, DOCTOR_LIMIT_S).output());
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new BusException("interrupted while the doctor ran", e);
                    }
                });
    }

    private static Step doctor() {
        return new Step(DOCTOR, verbus("doctor", "--json"), null, DOCTOR_LIMIT_S);
    }

    /** Returns whether any part failed. */
    boolean hasFailed() {
        return hasFailed;
    }

    private void add(Step step, Step.Outcome outcome) {
        String words =
                switch (outcome.status()) {
                    case 0 -> "passed";
                    case Step.TOO_LONG -> "was stopped because it took too long";
                    default -> "failed with status " + outcome.status();
                };
        hasFailed |= outcome.status() != 0;
        String line = "%s, %d s".formatted(words, outcome.seconds());
        progress.println("report: " + step.name() + " " + line);
        section(step.name(), line, outcome.output());
        if (outcome.status() != 0) {
            block(outcome.errors());
        }
    }

    private void section(String name, String line, String text) {
        report.append("\n## ").append(name).append('\n');
        if (!line.isEmpty()) {
            report.append('\n').append(line).append('\n');
        }
        block(text);
    }

    private void block(String text) {
        if (text.isBlank()) {
            return;
        }
        String end =
                text.length() <= MAX_LENGTH ? text : text.substring(text.length() - MAX_LENGTH);
        report.append("\n````\n").append(end.strip()).append("\n````\n");
    }

    private List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        steps.add(doctor());
        for (Contender peer : PEERS) {
            Path result = folder.resolve(peer.toString());
            List<String> command =
                    new ArrayList<>(
                            verbus(
                                    "perf",
                                    "compare",
                                    "--transport=rdma",
                                    "--quick",
                                    "--peer=" + peer,
                                    "--local=" + network.from(),
                                    "--remote=" + network.to(),
                                    "--server=" + server,
                                    "--json=" + result));
            if (Lab.isHere()) {
                command.add("--pairs=1"); // on emulated devices each pair takes minutes
            }
            steps.add(new Step("beside " + peer, command, result, COMPARE_LIMIT_S));
        }
        if (hasTests) {
            addTests(steps);
        }
        return steps;
    }

    /** Adds the tests if possible. They run last because they take the longest. */
    private void addTests(List<Step> steps) {
        String home = System.getenv("VERBUS_HOME");
        Path tests = home == null ? null : Path.of(home, "lab/junit");
        if (tests == null || !Files.isExecutable(tests)) {
            section("tests", "not run: the source tree is missing", "");
            return;
        }
        List<String> command =
                List.of(tests.toString(), "--exclude-tag", "soak", "--exclude-tag", "slow");
        steps.add(new Step("tests", command, null, TESTS_LIMIT_S));
    }

    private static List<String> verbus(String... words) {
        return JavaProgram.own(Verbus.class).command(List.of(words));
    }
}
