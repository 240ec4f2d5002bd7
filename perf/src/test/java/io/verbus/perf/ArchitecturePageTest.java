// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks that {@code docs/architecture.md} names existing classes and all packages, in at most 200
 * lines.
 */
class ArchitecturePageTest {
    private static final Path PAGE = Path.of("../docs/architecture.md");
    private static final Pattern CODE = Pattern.compile("`([a-zA-Z.]+)`");
    private static final int MAX_LINES = 200;

    @Test
    void pageNamesOnlyExistingClasses() throws IOException {
        Set<String> sources = sources();
        Set<String> absent = new TreeSet<>();
        Matcher matcher = CODE.matcher(Files.readString(PAGE));
        while (matcher.find()) {
            String name = matcher.group(1);
            String type = name.startsWith("io.") ? name : name.replaceAll("\\.[a-z].*", "");
            boolean isType = type.substring(type.lastIndexOf('.') + 1).matches("[A-Z]\\w+");
            String file = "/" + type.replace('.', '/') + ".java";
            if (isType && sources.stream().noneMatch(source -> source.endsWith(file))) {
                absent.add(name);
            }
        }
        assertEquals(Set.of(), absent, "mend " + PAGE);
    }

    @Test
    void pageListsAllPackages() throws IOException {
        String page = Files.readString(PAGE);
        Set<String> absent = new TreeSet<>();
        for (String source : sources()) {
            int begin = source.indexOf("/src/main/java/");
            if (begin >= 0 && !source.contains("/perf/")) {
                Path folder = Path.of(source.substring(begin + 15)).getParent();
                String name = folder.toString().replace('/', '.');
                String last = name.substring(name.lastIndexOf('.'));
                if (!page.contains("`" + name + "`") && !page.contains("`" + last + "`")) {
                    absent.add(name);
                }
            }
        }
        assertEquals(Set.of(), absent, "add them to " + PAGE);
    }

    @Test
    void pageHasAtMost200Lines() throws IOException {
        long lines = Files.readString(PAGE).lines().count();
        assertTrue(lines <= MAX_LINES, lines + " lines");
    }

    private static Set<String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".java") && file.contains("/src/"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
