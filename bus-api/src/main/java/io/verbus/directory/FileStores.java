// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Why {@link Files#getFileStore} has failed, in words. Any thread. */
public final class FileStores {
    /** What the JDK reads to find a {@link FileStore}; what keeps it from that it does not tell. */
    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    private FileStores() {}

    /**
     * Says what has failed, and the remedy: the end of a sentence.
     *
     * @param failure of {@link Files#getFileStore}, just now; "Mount point not found" is what the
     *     JDK says if this process has no descriptors left.
     */
    public static String problem(IOException failure) {
        try {
            Files.newInputStream(MOUNTS).close();
        } catch (FileSystemException e) {
            if (e.getReason() != null) {
                return e.getReason()
                        + ": raise the limit of open files (`ulimit -n`, LimitNOFILE of the unit),"
                        + " or see what this process has open";
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        return failure + ": see that it exists, and that this user may read it";
    }
}
