// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.driver.tools.ClientStates.Client;
import io.verbus.driver.tools.ClientStates.Registered;
import io.verbus.driver.tools.TextTable.Column;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * {@code verbus clients}: prints a driver's clients, their publications and subscriptions, and why
 * any of these is not connected.
 */
@Command(
        name = "clients",
        description = {
            "Prints a driver's clients and the states of their publications and subscriptions, with"
                    + " the reason if one is not connected or is held back.",
            "Also prints the last state of a driver that has ended or stalled; the exit status is"
                    + " then 1."
        },
        mixinStandardHelpOptions = true)
final class ClientsCommand implements Callable<Integer> {
    private static final String INDENT = "        ";
    private static final double MS_PER_S = 1000;

    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(names = "--json", description = "prints JSON")
    private boolean isJson;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (CncFile cnc = directory.map()) {
            ClientStates states = new ClientStates(cnc);
            if (isJson) {
                out.println(json(states));
            } else {
                lines(states, cnc.spec().driverId() == 0, Terminal.width()).forEach(out::println);
            }
            out.flush();
            directory.checkRunning(cnc);
        }
        return 0;
    }

    /**
     * Formats the tables.
     *
     * @param isAerons whether the driver is Aeron's, which does not show registrations.
     * @param width maximum length of a line, in characters.
     */
    private static List<String> lines(ClientStates states, boolean isAerons, int width) {
        List<String> lines = new ArrayList<>();
        if (states.clients().isEmpty() && states.registered().isEmpty()) {
            lines.add("no clients");
            return lines;
        }
        lines.addAll(clients(states).lines(width));
        if (isAerons) {
            lines.add("");
            lines.addAll(
                    wrapped(
                            "",
                            "This is Aeron's driver, which does not report publications and"
                                    + " subscriptions: run `verbus streams`.",
                            width));
        } else if (!states.registered().isEmpty()) {
            lines.add("");
            lines.addAll(registered(states, width));
        }
        return lines;
    }

    private static TextTable clients(ClientStates states) {
        TextTable table =
                new TextTable(
                        Column.number("client", 0),
                        Column.text("name", 12, 0),
                        Column.number("pid", 0),
                        Column.text("version", 8, 1),
                        Column.number("silent for", 0),
                        Column.number("publications", 2),
                        Column.number("subscriptions", 2));
        for (Client client : states.clients()) {
            table.add(
                    Long.toString(client.id()),
                    client.name().isEmpty() ? "-" : client.name(),
                    client.pid() == ClientStates.UNKNOWN_PID ? "-" : Long.toString(client.pid()),
                    client.version().isEmpty() ? "-" : client.version(),
                    "%.1f s".formatted(client.silentMs() / MS_PER_S),
                    count(states, client, false),
                    count(states, client, true));
        }
        return table;
    }

    private static String count(ClientStates states, Client client, boolean isSubscription) {
        return Long.toString(
                states.registered().stream()
                        .filter(each -> each.clientId() == client.id())
                        .filter(each -> each.isSubscription() == isSubscription)
                        .count());
    }

    private static List<String> registered(ClientStates states, int width) {
        TextTable table =
                new TextTable(
                        Column.number("client", 0),
                        Column.text("what", 3, 0),
                        Column.number("stream", 0),
                        Column.number("session", 1),
                        Column.text("by", 4, 0),
                        Column.text("state", 11, 0),
                        Column.text("channel", 12, 0));
        List<String> whys = new ArrayList<>();
        for (Registered each : states.registered()) {
            WhyNot why = WhyNot.of(each, states);
            table.add(
                    each.clientId() == ClientStates.NO_CLIENT
                            ? "-"
                            : Long.toString(each.clientId()),
                    each.isSubscription() ? "sub" : "pub",
                    Integer.toString(each.streamId()),
                    hasSession(each) ? Integer.toString(each.sessionId()) : "any",
                    each.carrier(),
                    why.state(),
                    each.channel());
            whys.add(why.why());
        }
        List<String> rows = table.lines(width);
        List<String> lines = new ArrayList<>();
        lines.add(rows.getFirst());
        for (int i = 0; i < whys.size(); i++) {
            lines.add(rows.get(i + 1));
            if (!whys.get(i).isEmpty()) {
                lines.addAll(wrapped(INDENT, whys.get(i), width));
            }
        }
        return lines;
    }

    /**
     * Returns whether the entry has a session id. A subscription to all sessions has no session id
     * in its channel.
     */
    private static boolean hasSession(Registered each) {
        return !each.isSubscription() || each.channel().contains("session-id=");
    }

    private static List<String> wrapped(String indent, String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(indent);
        for (String word : text.split(" ")) {
            boolean isFirst = line.length() == indent.length();
            if (!isFirst && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(indent.length());
                isFirst = true;
            }
            line.append(isFirst ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    private static JsonRows json(ClientStates states) {
        JsonRows json = new JsonRows();
        for (Client client : states.clients()) {
            json.begin()
                    .put("what", "client")
                    .put("client", client.id())
                    .put("name", client.name())
                    .put("version", client.version())
                    .put("silentMs", client.silentMs());
            if (client.pid() != ClientStates.UNKNOWN_PID) {
                json.put("pid", client.pid());
            }
            json.end();
        }
        for (Registered each : states.registered()) {
            WhyNot why = WhyNot.of(each, states);
            json.begin()
                    .put("what", each.isSubscription() ? "subscription" : "publication")
                    .put("client", each.clientId())
                    .put("registration", each.registrationId())
                    .put("stream", each.streamId());
            if (hasSession(each)) {
                json.put("session", each.sessionId());
            }
            json.put("transport", each.carrier())
                    .put("channel", each.channel())
                    .put("endpoint", WhyNot.endpoint(each.channel()))
                    .put("state", why.state())
                    .put("why", why.why());
            if (each.isSubscription()) {
                json.put("images", states.readersOf(each).size());
            }
            json.end();
        }
        return json;
    }
}
