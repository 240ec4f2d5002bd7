// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the picture of a memory layout from the comment of the class that defines it. */
public final class LayoutPicture {
    private static final Pattern ROW = Pattern.compile("\\* *\\| *([a-z].*?) *\\| +(\\d+)\\b.*");

    private LayoutPicture() {}

    /** Returns the offsets of the rows that have one, by the first words of the row. */
    public static Map<String, Integer> offsets(Class<?> type) throws IOException {
        Path source = Path.of("src/main/java", type.getName().replace('.', '/') + ".java");
        Map<String, Integer> offsets = new LinkedHashMap<>();
        for (String line : Files.readAllLines(source)) {
            Matcher row = ROW.matcher(line.trim());
            if (row.matches()) {
                offsets.put(row.group(1).replaceAll(" +", " "), Integer.valueOf(row.group(2)));
            }
        }
        return offsets;
    }
}
