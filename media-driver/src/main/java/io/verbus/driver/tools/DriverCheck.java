// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.metrics.ReadCounters;
import io.verbus.transport.Finding;
import io.verbus.transport.Finding.Level;

import org.agrona.concurrent.errors.ErrorLogReader;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Examines a driver, running or dead, through its shared memory and its process. */
final class DriverCheck {
    private static final String AREA = "driver";

    /** Fraction of counters or files in use above which a warning is given. */
    private static final double NEARLY_ALL = 0.8;

    private static final long NS_PER_MS = 1_000_000;

    private final CncFile cnc;
    private final CountersReader counters;
    private final String dir;
    private final List<Finding> findings = new ArrayList<>();

    private DriverCheck(CncFile cnc, Path directory) {
        this.cnc = cnc;
        counters = new ReadCounters(cnc).values();
        dir = " --dir " + directory;
    }

    /** Examines the driver of a directory. */
    static List<Finding> examine(DirectoryOption directory) {
        try (CncFile cnc = directory.map()) {
            DriverCheck check = new DriverCheck(cnc, directory.directory());
            check.examineLife(directory);
            check.examineErrors();
            check.examineCounters();
            check.examineCycles();
            check.examineLosses();
            check.examineStreams();
            return check.findings;
        } catch (BusException e) {
            return List.of(
                    new Finding(
                            Level.ERROR,
                            AREA,
                            e.getMessage(),
                            "give the driver's directory with --dir"));
        }
    }

    private void examineLife(DirectoryOption directory) {
        long pid = cnc.spec().pid();
        try {
            directory.checkRunning(cnc);
        } catch (BusException e) {
            add(Level.ERROR, e.getMessage(), "`verbus errors" + dir + "` shows its last errors");
            return;
        }
        ok(
                "the driver with process id "
                        + pid
                        + " has been running since "
                        + Instant.ofEpochMilli(cnc.spec().startMs()));
        examineFiles(pid);
    }

    private void examineFiles(long pid) {
        long limit;
        long open;
        try (Stream<Path> files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            limit = openFiles(pid);
            open = files.count();
        } catch (IOException e) {
            add(
                    Level.WARNING,
                    "cannot count the driver's open files (" + e + ")",
                    "run `verbus doctor` as the driver's user");
            return;
        }
        if (limit > 0 && open > limit * NEARLY_ALL) {
            add(
                    Level.WARNING,
                    "the driver has %,d of %,d files open".formatted(open, limit),
                    "raise the driver's `ulimit -n` or LimitNOFILE, and restart the driver");
        } else if (limit > 0) {
            ok("the driver has %,d of %,d files open".formatted(open, limit));
        }
    }

    private static long openFiles(long pid) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/limits"))) {
            String begin = "Max open files";
            return lines.filter(line -> line.startsWith(begin))
                    .map(line -> line.substring(begin.length()).strip().split("\\s+")[0])
                    .filter(limit -> limit.matches("\\d{1,18}"))
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElse(0);
        }
    }

    private void examineErrors() {
        long[] last = new long[1];
        int distinct =
                ErrorLogReader.read(
                        cnc.errorLog(),
                        (count, firstMs, lastMs, text) -> last[0] = Math.max(last[0], lastMs));
        if (distinct == 0) {
            ok("the driver has logged no errors");
        } else {
            add(
                    Level.WARNING,
                    "the driver has logged "
                            + distinct
                            + (distinct == 1 ? " error" : " distinct errors")
                            + ", the last at "
                            + Instant.ofEpochMilli(last[0]),
                    "read them with `verbus errors" + dir + "`");
        }
    }

    private void examineCounters() {
        int[] used = new int[1];
        counters.forEach((id, typeId, key, label) -> used[0]++);
        int all = cnc.spec().counterValuesLength() / CountersReader.COUNTER_LENGTH;
        String text = "%,d of %,d counters are in use".formatted(used[0], all);
        if (used[0] > all * NEARLY_ALL) {
            add(Level.WARNING, text, "raise counter-values-length, and restart the driver");
        } else {
            ok(text);
        }
    }

    private void examineCycles() {
        long exceeded =
                value(SystemCounter.CONDUCTOR_CYCLES_EXCEEDED)
                        + value(SystemCounter.SENDER_CYCLES_EXCEEDED)
                        + value(SystemCounter.RECEIVER_CYCLES_EXCEEDED);
        long longestMs =
                Math.max(
                                value(SystemCounter.CONDUCTOR_MAX_CYCLE_TIME),
                                Math.max(
                                        value(SystemCounter.SENDER_MAX_CYCLE_TIME),
                                        value(SystemCounter.RECEIVER_MAX_CYCLE_TIME)))
                        / NS_PER_MS;
        String longest = "; the longest took %,d ms".formatted(longestMs);
        if (exceeded > 0) {
            add(
                    Level.WARNING,
                    "%,d agent cycles exceeded their threshold".formatted(exceeded) + longest,
                    "give each agent a CPU of its own (conductor.cpu, sender.cpu, receiver.cpu),"
                            + " and see the findings on processors and memory");
        } else {
            ok("no agent cycle exceeded its threshold" + longest);
        }
    }

    private void examineLosses() {
        long lost = value(SystemCounter.IMAGES_LOST);
        long silent = value(SystemCounter.CLIENTS_TIMED_OUT);
        if (lost + silent > 0) {
            add(
                    Level.WARNING,
                    "%,d images were lost, and %,d clients timed out".formatted(lost, silent),
                    "`verbus errors"
                            + dir
                            + "` names them; look for suspended processes and broken links");
        } else {
            ok("no image was lost, and no client timed out");
        }
    }

    private void examineStreams() {
        ClientStates states = new ClientStates(cnc);
        long absent =
                states.registered().stream()
                        .filter(each -> !WhyNot.of(each, states).state().equals("connected"))
                        .count();
        int all = states.registered().size();
        if (absent > 0) {
            add(
                    Level.WARNING,
                    "%,d of %,d publications and subscriptions are not connected or are held back"
                            .formatted(absent, all),
                    "`verbus clients" + dir + "` shows why");
        } else {
            ok("all %,d publications and subscriptions are connected".formatted(all));
        }
    }

    private long value(SystemCounter counter) {
        return counters.getCounterValue(counter.ordinal());
    }

    private void ok(String text) {
        add(Level.OK, text, "");
    }

    private void add(Level level, String text, String remedy) {
        findings.add(new Finding(level, AREA, text, remedy));
    }
}
