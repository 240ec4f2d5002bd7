// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.verbus.BusContext;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks that {@code docs/reference/api.md} lists each public method of Aeron's client, and names
 * only existing methods of Verbus.
 */
class ApiPageTest {
    private static final Path PAGE = Path.of("../docs/reference/api.md");
    private static final Pattern ROW =
            Pattern.compile("\\| `(\\w+)` \\| (-|`[\\w.]+`) \\| (.*?) ?\\|");
    private static final Pattern NAME =
            Pattern.compile("`([A-Z]\\w+(?:\\.Context)?)\\.([a-z]\\w*)`");

    private static final Map<String, Class<?>> AERONS = new LinkedHashMap<>();

    static {
        AERONS.put("## Aeron and Bus", Aeron.class);
        AERONS.put("## Publication", io.aeron.Publication.class);
        AERONS.put("## ExclusivePublication", io.aeron.ExclusivePublication.class);
        AERONS.put("## Subscription", io.aeron.Subscription.class);
        AERONS.put("## Image", io.aeron.Image.class);
        AERONS.put("## Counter", io.aeron.Counter.class);
        AERONS.put("## Aeron.Context and BusContext", Aeron.Context.class);
    }

    private record Row(String aerons, String ours, String note) {
        boolean isNone() {
            return ours.equals("-");
        }
    }

    private static Map<Class<?>, List<Row>> rows() throws IOException {
        Map<Class<?>, List<Row>> rows = new LinkedHashMap<>();
        Class<?> type = null;
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("## ")) {
                type = AERONS.get(line);
                assertTrue(type != null, "no class for " + line);
                rows.put(type, new ArrayList<>());
            } else if (line.startsWith("| `")) {
                Matcher row = ROW.matcher(line);
                assertTrue(row.matches(), "no row: " + line);
                rows.get(type).add(new Row(row.group(1), row.group(2), row.group(3)));
            }
        }
        return rows;
    }

    private static List<Method> methods(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !method.isSynthetic())
                .toList();
    }

    @Test
    void pageListsEachAeronMethodOnce() throws IOException {
        Map<Class<?>, List<Row>> rows = rows();
        assertEquals(List.copyOf(AERONS.values()), List.copyOf(rows.keySet()));
        rows.forEach(
                (type, ofType) -> {
                    TreeSet<String> there = new TreeSet<>();
                    methods(type).forEach(method -> there.add(method.getName()));
                    TreeSet<String> named = new TreeSet<>();
                    ofType.forEach(
                            row -> assertTrue(named.add(row.aerons), type + " twice: " + row));
                    assertEquals(there, named, () -> "of " + type + " in " + PAGE);
                });
    }

    @Test
    void pageNamesOnlyExistingVerbusMethods() throws IOException {
        Matcher name = NAME.matcher(Files.readString(PAGE));
        int count = 0;
        while (name.find()) {
            assertTrue(ours(name).findAny().isPresent(), "there is no " + name.group());
            count++;
        }
        assertTrue(count > 120, count + " names");
    }

    /** If there is no such method, or none with as many arguments, the note gives the reason. */
    @Test
    void pageExplainsEachDifference() throws IOException {
        rows().forEach(
                        (type, ofType) -> {
                            for (Row row : ofType) {
                                if (row.note.isEmpty()) {
                                    assertTrue(!row.isNone(), "without a reason: " + row);
                                    methods(type).stream()
                                            .filter(each -> each.getName().equals(row.aerons))
                                            .forEach(each -> assertHasLike(each, row));
                                }
                            }
                        });
    }

    private static void assertHasLike(Method aerons, Row row) {
        Matcher name = NAME.matcher(row.ours);
        assertTrue(name.matches(), row.ours);
        assertTrue(
                ours(name).anyMatch(each -> isLike(each, aerons)),
                "no method of ours is like " + aerons);
    }

    /**
     * Arguments of Java and Agrona classes must be equal, those of Aeron classes have the same
     * name.
     */
    private static boolean isLike(Method ours, Method aerons) {
        Class<?>[] our = ours.getParameterTypes();
        Class<?>[] their = aerons.getParameterTypes();
        if (our.length != their.length) {
            return false;
        }
        for (int i = 0; i < our.length; i++) {
            boolean isSame =
                    our[i].isAssignableFrom(their[i])
                            || our[i].getSimpleName().equals(their[i].getSimpleName())
                            || their[i] == Aeron.Context.class && our[i] == BusContext.class;
            if (!isSame) {
                return false;
            }
        }
        return true;
    }

    /** Methods of a Verbus class, including inherited Verbus methods. */
    private static Stream<Method> ours(Matcher name) {
        String type = name.group(1).replace('.', '$');
        for (String room : List.of("io.verbus.", "io.verbus.logbuffer.", "io.verbus.channel.")) {
            try {
                return Arrays.stream(Class.forName(room + type).getMethods())
                        .filter(method -> method.getName().equals(name.group(2)));
            } catch (ClassNotFoundException e) {
                continue; // it is in another room, or nowhere
            }
        }
        return Stream.empty();
    }
}
