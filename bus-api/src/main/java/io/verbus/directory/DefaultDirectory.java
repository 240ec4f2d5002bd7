// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import java.nio.file.Files;
import java.nio.file.Path;

/** The default driver directory of a user, which is the same as Aeron's. */
public final class DefaultDirectory {
    /** System property with the directory. */
    public static final String PROPERTY = "verbus.dir";

    /** Environment variable with the directory. */
    public static final String VARIABLE = "VERBUS_DIR";

    /** Aeron's system property with the directory. */
    public static final String AERON_PROPERTY = "aeron.dir";

    /** Aeron's environment variable with the directory. */
    public static final String AERON_VARIABLE = "AERON_DIR";

    private static final Path MEMORY = Path.of("/dev/shm");

    private DefaultDirectory() {}

    /**
     * Returns the first that is set of the properties {@value #PROPERTY} and {@value
     * #AERON_PROPERTY} and the variables {@value #VARIABLE} and {@value #AERON_VARIABLE}, else
     * {@code /dev/shm/aeron-USER}, or {@code aeron-USER} in the temporary directory if there is no
     * {@code /dev/shm}.
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
