// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where a user's driver is found if an application or operator names no directory: as Aeron's. */
public final class DefaultDirectory {
    /** System property that names it. */
    public static final String PROPERTY = "verbus.dir";

    /** Environment variable that names it. */
    public static final String VARIABLE = "VERBUS_DIR";

    /** System property of Aeron that names it. */
    public static final String AERON_PROPERTY = "aeron.dir";

    /** Environment variable of Aeron that names it. */
    public static final String AERON_VARIABLE = "AERON_DIR";

    private static final Path MEMORY = Path.of("/dev/shm");

    private DefaultDirectory() {}

    /**
     * The first that is set of the properties {@value #PROPERTY} and {@value #AERON_PROPERTY} and
     * the variables {@value #VARIABLE} and {@value #AERON_VARIABLE}, else {@code
     * /dev/shm/aeron-USER}, or {@code aeron-USER} in the folder for temporary files where there is
     * no {@code /dev/shm}.
     */
    public static String name() {
        String[] names = {
            System.getProperty(PROPERTY),
            System.getProperty(AERON_PROPERTY),
            System.getenv(VARIABLE),
            System.getenv(AERON_VARIABLE)
        };
        for (String name : names) {
            if (name != null && !name.isEmpty()) {
                return name;
            }
        }
        Path folder =
                Files.isDirectory(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
        return folder.resolve("aeron-" + System.getProperty("user.name", "default")).toString();
    }
}
