// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools.usage;

import io.verbus.driver.tools.Verbus;
import io.verbus.release.Release;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes the manual pages of {@code verbus} and each of its commands, for the archive.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/man.7.html">man(7)</a>
 */
public final class ManualPages {
    private static final String EXIT_STATUS =
            """
            .SH EXIT STATUS
            .TP
            0
            success
            .TP
            1
            failure; standard error gives the cause and the remedy in one sentence
            .TP
            2
            invalid usage
            """;

    private ManualPages() {}

    /**
     * Writes the pages.
     *
     * @param args folder for the pages, which is created.
     * @throws IOException if the folder cannot be written to.
     */
    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        for (Map.Entry<String, String> page : all(Verbus.commandLine()).entrySet()) {
            Files.writeString(folder.resolve(page.getKey()), page.getValue());
        }
    }

    /** Returns the pages by file name. */
    static Map<String, String> all(CommandLine root) {
        Map<String, String> pages = new TreeMap<>();
        collect(root, pages);
        return pages;
    }

    private static void collect(CommandLine command, Map<String, String> pages) {
        pages.put(title(command.getCommandSpec()) + ".1", page(command));
        command.getSubcommands().values().forEach(each -> collect(each, pages));
    }

    private static String title(CommandSpec command) {
        return command.qualifiedName("-");
    }

    private static String page(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        String[] description = spec.usageMessage().description();
        StringBuilder page = new StringBuilder();
        page.append(".TH ")
                .append(title(spec).toUpperCase(Locale.ROOT))
                .append(" 1 \"\" \"Verbus ")
                .append(Release.CURRENT.version())
                .append("\" \"Verbus\"\n.SH NAME\n")
                .append(escaped(title(spec)))
                .append(" \\- ")
                .append(escaped(summary(description)))
                .append("\n.SH SYNOPSIS\n.nf\n")
                .append(synopsis(command))
                .append("\n.fi\n.SH DESCRIPTION\n");
        for (String paragraph : description) {
            page.append(text(paragraph)).append("\n.PP\n");
        }
        appendCommands(command, page);
        page.append(".SH OPTIONS\n");
        for (PositionalParamSpec each : spec.positionalParameters()) {
            entry("\\fI" + escaped(each.paramLabel()) + "\\fR", each.description(), page);
        }
        for (OptionSpec each : spec.options()) {
            if (!each.hidden()) {
                entry(names(each), each.description(), page);
            }
        }
        page.append(EXIT_STATUS);
        if (spec.parent() != null) {
            page.append(".SH SEE ALSO\n.BR ")
                    .append(escaped(title(spec.parent())))
                    .append(" (1)\n");
        }
        return page.toString();
    }

    private static String summary(String[] description) {
        String first = description.length == 0 ? "" : description[0];
        int end = first.indexOf(". ");
        String sentence = end < 0 ? first : first.substring(0, end);
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    private static String synopsis(CommandLine command) {
        CommandLine.Help help =
                new CommandLine.Help(
                        command.getCommandSpec(), CommandLine.Help.defaultColorScheme(Ansi.OFF));
        return text(help.synopsis(0).strip());
    }

    private static void appendCommands(CommandLine command, StringBuilder page) {
        if (command.getSubcommands().isEmpty()) {
            return;
        }
        page.append(".SH COMMANDS\n");
        command.getSubcommands()
                .forEach(
                        (name, each) ->
                                entry(
                                        "\\fB" + escaped(name) + "\\fR",
                                        each.getCommandSpec().usageMessage().description(),
                                        page));
    }

    private static String names(OptionSpec option) {
        StringBuilder names = new StringBuilder();
        for (String name : option.names()) {
            names.append(names.isEmpty() ? "" : ", ")
                    .append("\\fB")
                    .append(escaped(name))
                    .append("\\fR");
        }
        return option.arity().max() == 0
                ? names.toString()
                : names + "=\\fI" + escaped(option.paramLabel()) + "\\fR";
    }

    private static void entry(String head, String[] description, StringBuilder page) {
        page.append(".TP\n").append(head).append('\n');
        for (String paragraph : description) {
            page.append(text(paragraph)).append('\n');
        }
    }

    /** Returns text whose lines are escaped so that none is read as a request. */
    private static String text(String paragraph) {
        StringBuilder lines = new StringBuilder();
        String plain = paragraph.replace("%n", "\n").replace("%%", "%");
        for (String line : plain.split("\\R")) {
            boolean isRequest = line.startsWith(".") || line.startsWith("'");
            lines.append(lines.isEmpty() ? "" : "\n")
                    .append(isRequest ? "\\&" : "")
                    .append(escaped(line));
        }
        return lines.toString();
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }
}
