// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigSources;
import io.verbus.driver.config.DriverOption;
import io.verbus.driver.config.DriverOptions;
import io.verbus.driver.tools.usage.OptionHeadings;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code verbus driver}: runs a media driver until the process is asked to end. */
@Command(
        name = "driver",
        description = {
            "Runs a media driver until SIGTERM or SIGINT, which shut it down cleanly.",
            "The driver reads settings from these sources, each of which overrides the previous"
                    + " ones: defaults, the properties file, environment variables"
                    + " (VERBUS_TERM_LENGTH), system properties (verbus.term-length), options"
                    + " (--term-length).",
            "The driver also accepts Aeron's names for these settings (AERON_TERM_BUFFER_LENGTH,"
                    + " aeron.term.buffer.length), and prints those that have no effect."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class DriverCommand implements Callable<Integer> {
    /** Used by the driver's handler thread. */
    private static String lastSaid;

    @Spec private CommandSpec spec;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "properties file with settings, named like the options")
    private Path file;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "option of a transport, such as rdma.retry-count=6; may be repeated")
    private Map<String, String> settings = new LinkedHashMap<>();

    private DriverCommand() {}

    /** Returns the command with an option for each setting of the driver. */
    static CommandSpec spec() {
        CommandSpec spec = CommandSpec.forAnnotatedObject(new DriverCommand());
        for (DriverOption<?> each : DriverOptions.ALL) {
            spec.addOption(of(each.option()));
        }
        MediaDriver.presentOptions().forEach(option -> spec.addOption(of(option)));
        OptionHeadings.apply(spec);
        return spec;
    }

    private static OptionSpec of(io.verbus.transport.Option<?> option) {
        String text =
                "%s Values: %s. Default: %s."
                        .formatted(option.help(), option.values(), option.preset());
        return OptionSpec.builder("--" + option.name())
                .type(String.class)
                .paramLabel("VALUE")
                // Escaped, because picocli treats a percent sign as a format.
                .description(text.replace("%", "%%"))
                .build();
    }

    @Override
    public Integer call() throws InterruptedException {
        DriverConfigSources sources =
                new DriverConfigSources(
                        DriverConfig.builder()
                                .warningHandler(DriverCommand::say)
                                .errorHandler(DriverCommand::say),
                        MediaDriver.presentMedia());
        if (file != null) {
            sources.file(file);
        }
        sources.environment(System.getenv()).properties(System.getProperties());
        ParseResult parsed = spec.commandLine().getParseResult();
        for (DriverOption<?> each : DriverOptions.ALL) {
            set(sources, parsed, each.name());
        }
        MediaDriver.presentOptions().forEach(option -> set(sources, parsed, option.name()));
        settings.forEach((name, value) -> sources.set(name, value, "option --set " + name));
        for (String name : sources.unused()) {
            System.out.println(
                    "verbus driver: ignoring Aeron's option " + name + ", which has no effect");
        }
        MediaDriver.run(sources.build(), System.out);
        return 0;
    }

    private static void set(DriverConfigSources sources, ParseResult parsed, String name) {
        String value = parsed.matchedOptionValue("--" + name, null);
        if (value != null) {
            sources.set(name, value, "option --" + name);
        }
    }

    /**
     * Prints a problem when it first occurs, or when it recurs after other problems; the error log
     * contains every problem. Called by the driver's handler thread, because standard error may
     * block.
     */
    private static void say(Throwable problem) {
        String text = String.valueOf(problem.getMessage());
        if (!text.equals(lastSaid)) {
            lastSaid = text;
            System.err.println("verbus driver: " + text);
        }
    }
}
