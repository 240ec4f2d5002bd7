// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigSources;
import io.verbus.transport.Examination;
import io.verbus.transport.Finding;
import io.verbus.transport.Finding.Level;
import io.verbus.transport.TransportSettings;

import org.agrona.SystemUtil;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * {@code verbus doctor}: reports what prevents transports from working, or slows them down, on this
 * host.
 */
@Command(
        name = "doctor",
        description = {
            "Checks this host for problems that stop a driver from working or slow it down, and"
                    + " suggests remedies. Reads the driver's settings from the environment.",
            "Run the doctor as the driver's user, with the same limits and on the same CPUs.",
            "With --dir, also examines a driver, even one that is no longer running.",
            "Exit status: 1 if an error was found, else 0, even with warnings."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class DoctorCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final List<String> MEDIA = List.of("rdma", "udp", "ipc");

    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            description =
                    "time between the two samples of each counter, such as 500ms or 10s "
                            + "(default: ${DEFAULT-VALUE})")
    private String interval = "1s";

    @Option(
            names = "--for",
            paramLabel = "MEDIA",
            split = ",",
            description =
                    "checks only what these media need: rdma, udp or ipc, separated by commas "
                            + "(default: all)")
    private List<String> media;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "properties file with the driver's settings")
    private Path file;

    @Option(names = "--json", description = "prints JSON")
    private boolean isJson;

    @Override
    public Integer call() throws InterruptedException {
        Examination.Scope scope = new Examination.Scope(media(), settings(), interval());
        List<Finding> findings = new ArrayList<>();
        if (directory.isGiven()) {
            findings.addAll(DriverCheck.examine(directory));
        }
        for (Examination examination : ServiceLoader.load(Examination.class)) {
            findings.addAll(examination.examine(scope));
        }
        PrintWriter out = spec.commandLine().getOut();
        if (isJson) {
            out.println(json(findings));
        } else {
            print(findings, out);
        }
        out.flush();
        return count(findings, Level.ERROR) > 0 ? 1 : 0;
    }

    private Set<String> media() {
        List<String> asked = media == null ? MEDIA : media;
        for (String each : asked) {
            if (!MEDIA.contains(each)) {
                throw new ParameterException(
                        spec.commandLine(), "--for is '" + each + "': it must be rdma, udp or ipc");
            }
        }
        return Set.copyOf(asked);
    }

    /** Returns the settings that a driver would read here. */
    private TransportSettings settings() {
        DriverConfigSources sources =
                new DriverConfigSources(DriverConfig.builder(), MediaDriver.presentMedia());
        if (file != null) {
            sources.file(file);
        }
        Map<String, String> options =
                sources.environment(System.getenv())
                        .properties(System.getProperties())
                        .build()
                        .transportOptions();
        return options::getOrDefault;
    }

    private Duration interval() {
        try {
            Duration parsed = Duration.ofNanos(SystemUtil.parseDuration("--interval", interval));
            if (!parsed.isNegative() && parsed.compareTo(LONGEST) <= 0) {
                return parsed;
            }
        } catch (NumberFormatException noDuration) {
            throw wrongInterval(noDuration);
        }
        throw wrongInterval(null);
    }

    private ParameterException wrongInterval(Throwable cause) {
        return new ParameterException(
                spec.commandLine(),
                "--interval is '" + interval + "', and must be a time up to 3600s, such as 500ms",
                cause);
    }

    private static JsonRows json(List<Finding> findings) {
        JsonRows json = new JsonRows();
        for (Finding finding : findings) {
            json.begin()
                    .put("level", text(finding.level()))
                    .put("area", finding.area())
                    .put("text", finding.text())
                    .put("remedy", finding.remedy())
                    .end();
        }
        return json;
    }

    private static void print(List<Finding> findings, PrintWriter out) {
        String area = "";
        for (Finding finding : findings) {
            if (!finding.area().equals(area)) {
                out.println((area.isEmpty() ? "" : System.lineSeparator()) + finding.area());
                area = finding.area();
            }
            out.printf("  %-8s %s%n", text(finding.level()), finding.text());
            if (!finding.remedy().isEmpty()) {
                out.printf("           remedy: %s%n", finding.remedy());
            }
        }
        out.printf(
                "%n%d errors, %d warnings, %d ok%n",
                count(findings, Level.ERROR),
                count(findings, Level.WARNING),
                count(findings, Level.OK));
    }

    private static long count(List<Finding> findings, Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    private static String text(Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }
}
