// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Makes the files that a driver shares with its clients. A directory whose rights are {@link
 * #GROUP_DIRECTORY} is shared with its group: the kernel gives new files in it that group, and the
 * group may read and write them. One whose rights are {@link #READERS_DIRECTORY} lets the group
 * read them, and no more. Neither lets it add or remove files.
 */
public final class DriverFile {
    /** Set-group-id, {@code rwxr-x---}. */
    public static final int GROUP_DIRECTORY = 02750;

    /**
     * Set-group-id, {@code rwxr-x---}, and the sticky bit, which tells it from the other: it
     * changes nothing where the group has no right to write.
     */
    public static final int READERS_DIRECTORY = 03750;

    private static final int ALL_RIGHTS = 07777;
    private static final Set<PosixFilePermission> OWNER =
            PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_AND_GROUP =
            PosixFilePermissions.fromString("rw-rw----");

    private static final Set<PosixFilePermission> OWNER_AND_READERS =
            PosixFilePermissions.fromString("rw-r-----");

    private DriverFile() {}

    private static int rights(Path directory) throws IOException {
        return (int) Files.getAttribute(directory, "unix:mode") & ALL_RIGHTS;
    }

    /**
     * Makes and opens a file, for the owner, and for the group where the directory is shared.
     *
     * @param file that must not exist yet.
     * @return the file, open to read and write.
     * @throws java.nio.file.FileAlreadyExistsException if it exists.
     * @throws IOException if it cannot be made.
     */
    public static FileChannel create(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        file,
                        Set.of(
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.CREATE_NEW),
                        PosixFilePermissions.asFileAttribute(OWNER));
        try {
            // Apart, as the process' umask takes rights from what is made.
            switch (rights(file.toAbsolutePath().getParent())) {
                case GROUP_DIRECTORY -> Files.setPosixFilePermissions(file, OWNER_AND_GROUP);
                case READERS_DIRECTORY -> Files.setPosixFilePermissions(file, OWNER_AND_READERS);
                default -> {
                    // The owner's alone.
                }
            }
        } catch (IOException e) {
            channel.close();
            Files.deleteIfExists(file);
            throw e;
        }
        return channel;
    }

    /**
     * What to do where a file could not be made: mostly there is too little space.
     *
     * @param file that could not be made.
     * @return the end of a sentence that has told what failed.
     */
    public static String remedy(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        String free;
        try {
            FileStore store = Files.getFileStore(folder);
            free =
                    store.getUsableSpace()
                            + " of "
                            + store.getTotalSpace()
                            + " bytes are free at "
                            + folder;
        } catch (IOException unknown) {
            free =
                    "how much is free at "
                            + folder
                            + " cannot be told ("
                            + FileStores.problem(unknown)
                            + ")";
        }
        return free
                + ": free space there or choose another driver directory; a tmpfs grows with `mount"
                + " -o remount,size=1g MOUNT-POINT`, a container's /dev/shm with --shm-size";
    }
}
