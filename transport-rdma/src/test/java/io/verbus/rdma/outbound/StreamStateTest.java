// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.outbound.StreamState.Event;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Compares the transitions of code, protocol page and model. */
class StreamStateTest {
    private static final String HEADING = "**A's stream over a connection**";
    private static final Pattern ROW =
            Pattern.compile("\\| ([A-Z_, ]+|any) \\| ([A-Z_]+)\\b[^|]*\\| ([A-Z_]+) \\|");
    private static final Pattern STEP =
            Pattern.compile("\\bGO\\(([A-Z_]+), ([A-Z_]+), ([A-Z_]+)\\)");

    @Test
    void protocolPageHasTransitionsOfCode() throws IOException {
        Set<String> rows = new TreeSet<>();
        List<String> page = Files.readAllLines(page());
        int at = page.stream().map(line -> line.startsWith(HEADING)).toList().indexOf(true);
        for (String line : page.subList(at + 1, page.size())) {
            if (line.startsWith("**") || line.startsWith("#")) {
                break;
            }
            Matcher row = ROW.matcher(line);
            if (row.lookingAt()) {
                for (StreamState from : states(row.group(1))) {
                    assertTrue(rows.add(row(from, row.group(2), row.group(3))), line);
                }
            }
        }
        assertEquals(text(transitions()), text(rows));
    }

    @Test
    void modelTakesTransitionsOfCode() throws IOException {
        Set<String> steps = new TreeSet<>();
        String model =
                Files.readString(
                        root().resolve("transport-rdma/src/test/promela/outbound-stream.pml"));
        Matcher step = STEP.matcher(model);
        while (step.find()) {
            steps.add(row(StreamState.valueOf(step.group(1)), step.group(2), step.group(3)));
        }
        assertEquals(text(transitions()), text(steps));
    }

    @Test
    void refusesTransitionThatTableDoesNotHave() {
        assertFalse(StreamState.CLOSED.allows(Event.ACCEPT));
        assertEquals(
                "a stream that is CLOSED has no transition on ACCEPT: report this bug of the"
                        + " driver",
                assertThrows(
                                IllegalStateException.class,
                                () -> StreamState.CLOSED.after(Event.ACCEPT))
                        .getMessage());
    }

    /** Without such a path the stream's log and credit slot would never be released. */
    @Test
    void reachesGoneFromEveryStateWithoutDisconnect() {
        for (StreamState from : StreamState.values()) {
            Set<StreamState> reached = new TreeSet<>(Set.of(from));
            while (true) {
                Set<StreamState> more = new TreeSet<>(reached);
                for (StreamState state : reached) {
                    for (Event event : Event.values()) {
                        if (event != Event.DISCONNECT && state.allows(event)) {
                            more.add(state.after(event));
                        }
                    }
                }
                if (more.equals(reached)) {
                    break;
                }
                reached = more;
            }
            assertTrue(reached.contains(StreamState.GONE), from::toString);
        }
    }

    private static Set<String> transitions() {
        Set<String> rows = new TreeSet<>();
        for (StreamState from : StreamState.values()) {
            for (Event event : Event.values()) {
                if (from.allows(event)) {
                    rows.add(row(from, event.name(), from.after(event).name()));
                }
            }
        }
        return rows;
    }

    private static String row(StreamState from, String event, String to) {
        return from + " " + Event.valueOf(event) + " " + StreamState.valueOf(to);
    }

    private static String text(Set<String> rows) {
        return String.join("\n", rows);
    }

    private static List<StreamState> states(String cell) {
        return cell.equals("any")
                ? List.of(StreamState.values())
                : Stream.of(cell.split(", ")).map(StreamState::valueOf).toList();
    }

    /** Returns the page with the heading. */
    private static Path page() throws IOException {
        try (Stream<Path> pages = Files.walk(root().resolve("docs"))) {
            return pages.filter(page -> page.toString().endsWith(".md"))
                    .filter(StreamStateTest::hasHeading)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no page has " + HEADING));
        }
    }

    private static boolean hasHeading(Path page) {
        try {
            return Files.readString(page).contains("\n" + HEADING);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("docs"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
