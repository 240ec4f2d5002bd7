// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Work;
import io.verbus.perf.run.Runner;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Everything that a measuring command found, and where and how it ran. All commands have this
 * report; {@link ReportText}, {@link ReportPage} and {@link #json} present it.
 */
public final class Report {
    /** Keys of the JSON, in order. */
    static final List<String> KEYS =
            List.of(
                    "command",
                    "date",
                    "versions",
                    "work",
                    "environment",
                    "warnings",
                    "figures",
                    "pairs");

    private final String command;
    private final Instant date;
    private final Map<String, Object> environment;
    private final Map<String, Object> versions = new LinkedHashMap<>();
    private final List<Section> sections = new ArrayList<>();
    private boolean isInterrupted;

    /**
     * Starts a report of this machine and JVM.
     *
     * @param command command line that measures.
     */
    public Report(String command) {
        this(command, Instant.now(), Environment.describe(Runner.flags()));
    }

    Report(String command, Instant date, Map<String, Object> environment) {
        this.command = command;
        this.date = date.truncatedTo(ChronoUnit.SECONDS);
        this.environment = new LinkedHashMap<>(environment);
    }

    /**
     * Adds the next work to measure.
     *
     * @param metric what is measured, such as "round trips".
     * @param work measured work.
     * @param details further settings of the measurement, for JSON.
     * @param contenders names, in display order; the last is the peer of all others.
     */
    public Section begin(
            String metric, Work work, Map<String, Object> details, List<String> contenders) {
        Section section = new Section(metric, work, details, contenders);
        sections.add(section);
        return section;
    }

    /**
     * Records the name and version of a contender. A contender that is another program in another
     * work, such as the floor of round trips and that of streams, has both.
     */
    public void version(String contender, String version) {
        Object earlier = versions.get(contender);
        if (earlier == null) {
            versions.put(contender, version);
        } else if (!List.of(earlier.toString().split("; ")).contains(version)) {
            versions.put(contender, earlier + "; " + version);
        }
    }

    /** Records the load average at the end of the run. */
    public void end() {
        end(Environment.load());
    }

    void end(String loadAverage) {
        environment.put(Environment.LOAD_AFTER, loadAverage);
    }

    /** Marks the report as that of a measurement which was ended early. */
    public void interrupt() {
        isInterrupted = true;
        end();
    }

    /** Returns whether there are figures of at least one run. */
    public boolean isBegun() {
        return sections.stream().anyMatch(section -> section.pairs() > 0);
    }

    /** Returns the measured works, in order. */
    public List<Section> sections() {
        return sections;
    }

    /** Returns whether a run missed its rate. */
    public boolean missedRate() {
        return sections.stream().anyMatch(Section::missedRate);
    }

    String command() {
        return command;
    }

    Instant date() {
        return date;
    }

    Map<String, Object> environment() {
        return environment;
    }

    Map<String, Object> versions() {
        return versions;
    }

    /** Returns what makes the figures doubtful, one sentence each. */
    List<String> warnings() {
        int cpus = Environment.cpus(environment);
        Set<String> warnings = new LinkedHashSet<>();
        if (isInterrupted) {
            warnings.add(
                    "the measurement was interrupted: this report contains only its first"
                            + " runs");
        }
        addLoad(warnings, Environment.LOAD_BEFORE, "before the run", cpus);
        sections.forEach(section -> warnings.addAll(section.warnings(cpus)));
        addLoad(warnings, Environment.LOAD_AFTER, "at the end", cpus);
        return List.copyOf(warnings);
    }

    private void addLoad(Set<String> warnings, String key, String when, int cpus) {
        double load = Environment.load(environment, key);
        if (load > cpus) {
            warnings.add(
                    String.format(
                            Locale.ROOT,
                            "the load average was %.2f %s, with %d CPU%s: measure on an idle"
                                    + " machine",
                            load,
                            when,
                            cpus,
                            cpus == 1 ? "" : "s"));
        }
    }

    /**
     * Returns groups of works that differ only in the rate of their round trips.
     *
     * @return the groups of two works or more, in order.
     */
    List<List<Section>> sweeps() {
        Map<Work, List<Section>> groups = new LinkedHashMap<>();
        for (Section section : sections) {
            if (section.work().load().rate() > 0 && !section.histograms().isEmpty()) {
                groups.computeIfAbsent(section.work().atRate(1), unused -> new ArrayList<>())
                        .add(section);
            }
        }
        return groups.values().stream().filter(group -> group.size() > 1).toList();
    }

    /** Returns the report as JSON. */
    public String json() {
        List<Object> works = new ArrayList<>();
        List<Object> figures = new ArrayList<>();
        List<Object> pairs = new ArrayList<>();
        for (int number = 0; number < sections.size(); number++) {
            works.add(sections.get(number).workToMap());
            figures.addAll(sections.get(number).figuresToMaps(number));
            pairs.addAll(sections.get(number).pairsToMaps(number));
        }
        Map<String, Object> map = new LinkedHashMap<>();
        List<Object> values =
                List.of(
                        command,
                        date.toString(),
                        versions,
                        works,
                        environment,
                        warnings(),
                        figures,
                        pairs);
        for (int i = 0; i < KEYS.size(); i++) {
            map.put(KEYS.get(i), values.get(i));
        }
        return JsonWriter.write(map);
    }
}
