// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A contender's socket system calls as counted by strace: calls that transfer data, and calls that
 * find nothing to do. The number of the latter depends on the run time, which strace increases.
 *
 * @param useful successful calls, by name.
 * @param vain failed calls, mostly because no data was available, by name.
 */
public record SystemCalls(TreeMap<String, Long> useful, TreeMap<String, Long> vain) {
    private static final String TRACED = "%network,write,poll,ppoll,epoll_wait,epoll_pwait";
    private static final Pattern LINE = Pattern.compile("\\s*(\\w+)\\s+(\\d+)(?:\\s+(\\d+))?\\s*");

    /**
     * Counts a run's calls from the start of its processes to their end.
     *
     * @param contender contender to trace.
     * @param work work to do, without warm-up.
     * @throws BusException if strace is missing, or the work fails.
     */
    public static SystemCalls count(Contender contender, Work work) {
        requireStrace();
        try {
            Path folder = Files.createTempDirectory("verbus-calls");
            try {
                try (Runner runner =
                        new Runner(
                                contender,
                                work,
                                done -> {},
                                List.of(),
                                role -> strace(file(folder, role)))) {
                    if (work.load().isStream()) {
                        runner.stream(work.messages());
                    } else {
                        runner.roundTrips(work.messages());
                    }
                }
                return sum(folder);
            } finally {
                delete(folder);
            }
        } catch (IOException ex) {
            throw new BusException(
                    "cannot store the output of strace ("
                            + ex
                            + "): free space in the directory for temporary files",
                    ex);
        }
    }

    private static void requireStrace() {
        boolean isThere =
                Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "strace")));
        if (!isThere) {
            throw new BusException("strace is missing: install it (Debian package strace)");
        }
    }

    private static Path file(Path folder, Role role) {
        return folder.resolve(role + "-" + System.nanoTime());
    }

    private static List<String> strace(Path file) {
        return List.of(
                "strace",
                "--follow-forks",
                "--seccomp-bpf",
                "--summary-only",
                "--summary-columns=name,calls,errors",
                "--trace=" + TRACED,
                "--output=" + file);
    }

    private static SystemCalls sum(Path folder) throws IOException {
        SystemCalls calls = new SystemCalls(new TreeMap<>(), new TreeMap<>());
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                calls.add(Files.readAllLines(file));
            }
        }
        if (calls.useful.isEmpty()) {
            throw new BusException(
                    "strace counted no calls: allow this user to trace processes (see the sysctl"
                            + " kernel.yama.ptrace_scope)");
        }
        return calls;
    }

    /** Adds the counts of a summary written by strace. */
    void add(List<String> summary) {
        for (String line : summary) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches() && !matcher.group(1).equals("total")) {
                long errors = matcher.group(3) == null ? 0 : Long.parseLong(matcher.group(3));
                long calls = Long.parseLong(matcher.group(2));
                useful.merge(matcher.group(1), calls - errors, Long::sum);
                vain.merge(matcher.group(1), errors, Long::sum);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
