// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.transport.Examination;
import io.verbus.transport.Finding;
import io.verbus.transport.Finding.Level;

import org.agrona.SystemUtil;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;

/**
 * {@code verbus doctor}: reports what prevents transports from working, or slows them down, on this
 * host.
 */
@Command(
        name = "doctor",
        description = {
            "Checks this host for problems that keep RDMA from working or slow it down, and "
                    + "suggests remedies.",
            "Run it as the driver's user, with the same limits and on the same CPUs.",
            "Exit status: 1 if an error was found, else 0, even with warnings."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class DoctorCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofHours(1);

    @Spec private CommandSpec spec;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            description =
                    "time between the two samples of each counter, such as 500ms or 10s "
                            + "(default: ${DEFAULT-VALUE})")
    private String interval = "1s";

    @Option(names = "--json", description = "as JSON")
    private boolean isJson;

    @Override
    public Integer call() throws InterruptedException {
        Duration pause = interval();
        List<Finding> findings = new ArrayList<>();
        for (Examination examination : ServiceLoader.load(Examination.class)) {
            findings.addAll(examination.examine(pause));
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
                "--interval is '" + interval + "', and must be a time up to 3600s",
                cause);
    }

    private static Json json(List<Finding> findings) {
        Json json = new Json();
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
