// SPDX-License-Identifier: Apache-2.0

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks, or applies, the format of every Java source of the project.
 *
 * <p>Run by the build in its first phase ({@code check}) and by {@code verbus format} ({@code
 * apply}), on the JDK that compiles the project: the formatter reads sources with that JDK's own
 * parser. What was checked already and not changed since is not looked at again.
 */
class Format {
    private static final String LICENCE = "// SPDX-License-Identifier: Apache-2.0\n";

    public static void main(String[] args) throws Exception {
        boolean apply = args[0].equals("apply");
        Path root = Path.of(args[1]);
        var formatter =
                new Formatter(
                        JavaFormatterOptions.builder()
                                .style(JavaFormatterOptions.Style.AOSP)
                                .build());
        // As old as the last check that found nothing wrong.
        Path stamp = root.resolve("target/tools/formatted");
        FileTime began = FileTime.from(Instant.now());
        FileTime checked =
                isCurrent(stamp, root) ? Files.getLastModifiedTime(stamp) : FileTime.fromMillis(0);
        List<Path> wrong = new ArrayList<>();
        boolean areParsed = true;
        for (Path file : sources(root)) {
            if (Files.getLastModifiedTime(file).compareTo(checked) < 0) {
                continue;
            }
            String text = Files.readString(file);
            String formatted;
            try {
                String cleaned = RemoveUnusedImports.removeUnusedImports(text);
                formatted =
                        formatter.formatSourceAndFixImports(
                                cleaned.startsWith(LICENCE) ? cleaned : LICENCE + "\n" + cleaned);
            } catch (FormatterException e) {
                areParsed = false;
                System.err.println(
                        root.relativize(file)
                                + " cannot be parsed; mend it at line:column "
                                + e.diagnostics().get(0));
                continue;
            }
            if (!formatted.equals(text)) {
                wrong.add(root.relativize(file));
                if (apply) {
                    Files.writeString(file, formatted);
                }
            }
        }
        if (!apply && !wrong.isEmpty()) {
            System.err.println("These files are not formatted; run `./verbus format`:");
            wrong.forEach(file -> System.err.println("  " + file));
        }
        if (!areParsed || (!apply && !wrong.isEmpty())) {
            System.exit(1);
        }
        if (!Files.exists(stamp)) {
            Files.createFile(stamp);
        }
        Files.setLastModifiedTime(stamp, began);
    }

    /** {@return whether these rules were the same: this program, and the formatter's version} */
    private static boolean isCurrent(Path stamp, Path root) throws IOException {
        if (!Files.exists(stamp)) {
            return false;
        }
        FileTime checked = Files.getLastModifiedTime(stamp);
        for (String rules : List.of("tools/Format.java", "pom.xml")) {
            if (Files.getLastModifiedTime(root.resolve(rules)).compareTo(checked) >= 0) {
                return false;
            }
        }
        return true;
    }

    private static List<Path> sources(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !root.relativize(file).toString().contains("target/"))
                    .sorted()
                    .toList();
        }
    }
}
