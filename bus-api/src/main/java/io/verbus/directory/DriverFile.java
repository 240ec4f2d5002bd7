// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import io.verbus.BusException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates the files that a driver shares with its clients. A directory with permissions {@link
 * #GROUP_DIRECTORY} is shared with its group: the kernel assigns that group to new files, which the
 * group may read and write. With {@link #READERS_DIRECTORY} the group may only read them. In
 * neither case may the group add or remove files.
 */
public final class DriverFile {
    /** Set-group-id, {@code rwxr-x---}. */
    public static final int GROUP_DIRECTORY = 02750;

    /**
     * Set-group-id, {@code rwxr-x---}, and the sticky bit, which marks the difference: it has no
     * effect on a group without write permission.
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
     * Creates and opens a file for the owner, and for the group if the directory is shared.
     *
     * @param file file to create; must not exist yet.
     * @return the file, open for reading and writing.
     * @throws java.nio.file.FileAlreadyExistsException if the file exists.
     * @throws IOException if the file cannot be created.
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
            // A separate step, because the umask would remove permissions at creation.
            switch (rights(file.toAbsolutePath().getParent())) {
                case GROUP_DIRECTORY -> Files.setPosixFilePermissions(file, OWNER_AND_GROUP);
                case READERS_DIRECTORY -> Files.setPosixFilePermissions(file, OWNER_AND_READERS);
                default -> {
                    // Only the owner has access.
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
     * Creates a file of zeros, like {@link #create}, and maps it for writing.
     *
     * @param file file to create; must not exist yet.
     * @param length length of the file in bytes.
     * @param what name of the kind of file, for the error.
     * @return the mapped file.
     * @throws BusException if the file cannot be created.
     */
    public static MappedByteBuffer createZeroed(Path file, int length, String what) {
        try (FileChannel channel = create(file)) {
            // Write zeros rather than extend the file: a hole that cannot be filled later would
            // fault.
            ByteBuffer zeros = ByteBuffer.allocate(length);
            while (zeros.hasRemaining()) {
                channel.write(zeros);
            }
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
        } catch (IOException e) {
            throw new BusException(
                    "cannot create the "
                            + what
                            + " of "
                            + length
                            + " bytes at "
                            + file
                            + " ("
                            + e.getMessage()
                            + "); "
                            + remedy(file),
                    e);
        }
    }

    /**
     * Returns a remedy after a file could not be created, usually for lack of space.
     *
     * @param file file that could not be created.
     * @return the end of a sentence that says what failed.
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
                    "the free space at "
                            + folder
                            + " is unknown ("
                            + FileStores.problem(unknown)
                            + ")";
        }
        return free
                + ": free space there or choose another driver directory; enlarge a tmpfs with "
                + "`mount -o remount,size=1g MOUNT-POINT`, a container's /dev/shm with "
                + "--shm-size";
    }
}
