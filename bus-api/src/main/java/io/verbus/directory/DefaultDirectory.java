// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import java.nio.file.Files;
import java.nio.file.Path;

/** The default driver directory of a user, which is the same as Aeron's. */
public final class DefaultDirectory {
    private static final Path MEMORY = Path.of("/dev/shm");

    private DefaultDirectory() {}

    /**
     * Returns the first of the following that is set and not empty: the system properties {@code
     * verbus.dir} and {@code aeron.dir}, and the environment variables {@code VERBUS_DIR} and
     * {@code AERON_DIR}. If none is set, returns {@code /dev/shm/aeron-USER}, or {@code aeron-USER}
     * in the temporary directory if there is no {@code /dev/shm}.
     */
    public static String name() {
        String[] names = {
            System.getProperty("verbus.dir"),
            System.getProperty("aeron.dir"),
            System.getenv("VERBUS_DIR"),
            System.getenv("AERON_DIR")
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
