// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools.usage;

import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Groups the options of {@code verbus driver} under headings, and shortens its usage to one line.
 */
public final class OptionHeadings {
    private static final String DASHES = "--";

    private enum Heading {
        COMMAND(""),
        PROCESS("Directory and process"),
        THREADS("Threads"),
        MEMORY("Memory"),
        STREAMS("Clients and streams"),
        LIMITS("Limits of clients"),
        NAMES("Names of drivers"),
        RDMA("RDMA"),
        UDP("UDP");

        private final String text;

        Heading(String text) {
            this.text = text;
        }
    }

    private OptionHeadings() {}

    /** Adds headings and a usage line to a command. */
    public static void apply(CommandSpec command) {
        UsageMessageSpec usage = command.usageMessage();
        usage.customSynopsis("verbus driver [OPTION]...");
        Map<String, IHelpSectionRenderer> sections = new HashMap<>(usage.sectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, OptionHeadings::render);
        usage.sectionMap(sections);
    }

    private static String render(Help help) {
        Map<Heading, List<OptionSpec>> grouped = new EnumMap<>(Heading.class);
        for (OptionSpec option : help.commandSpec().options()) {
            grouped.computeIfAbsent(heading(option), none -> new ArrayList<>()).add(option);
        }
        StringBuilder text = new StringBuilder();
        grouped.forEach(
                (heading, options) -> {
                    Help.Layout layout = help.createDefaultLayout();
                    layout.addOptions(options, help.parameterLabelRenderer());
                    text.append(heading.text.isEmpty() ? "" : "%n%s:%n".formatted(heading.text))
                            .append(layout);
                });
        return text.toString();
    }

    private static Heading heading(OptionSpec option) {
        String name = option.longestName();
        if (!option.type().equals(String.class) || !name.startsWith(DASHES)) {
            return Heading.COMMAND; // not a driver setting
        }
        return heading(name.substring(DASHES.length()));
    }

    private static Heading heading(String name) {
        int dot = name.indexOf('.');
        return switch (dot < 0 ? name : name.substring(0, dot)) {
            case "rdma" -> Heading.RDMA;
            case "udp" -> Heading.UDP;
            case "resolver" -> Heading.NAMES;
            case "threading", "conductor", "sender", "receiver" -> Heading.THREADS;
            case "dir", "delete-on-shutdown", "terminable", "metrics", "drain-timeout" ->
                    Heading.PROCESS;
            case "mtu", "ipc-window", "file-page-size", "log-directory" -> Heading.MEMORY;
            case "client-share" -> Heading.LIMITS;
            default -> {
                if (name.startsWith("max-")) {
                    yield Heading.LIMITS;
                }
                if (name.startsWith("directory-") || name.startsWith("audit-")) {
                    yield Heading.PROCESS;
                }
                yield name.endsWith("-length") ? Heading.MEMORY : Heading.STREAMS;
            }
        };
    }
}
