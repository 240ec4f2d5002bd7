// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Explains why {@link Files#getFileStore} has failed. Thread-safe. */
public final class FileStores {
    /**
     * The file that the JDK reads to find a {@link FileStore}. If it cannot be read, the JDK does
     * not report why.
     */
    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    private FileStores() {}

    /**
     * Returns the cause and the remedy, as the end of a sentence.
     *
     * @param failure recent failure of {@link Files#getFileStore}; the JDK reports "Mount point not
     *     found" if this process has no descriptors left.
     */
    public static String problem(IOException failure) {
        try {
            Files.newInputStream(MOUNTS).close();
        } catch (FileSystemException e) {
            if (e.getReason() != null) {
                return e.getReason()
                        + ": raise the limit on open files (`ulimit -n`, or LimitNOFILE in the"
                        + " systemd unit), or check which files this process has open";
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        return failure + ": check that the path exists, and that this user may read it";
    }
}
