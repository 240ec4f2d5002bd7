// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.verbus.BusException;
import io.verbus.directory.HeldPath;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lock of a driver directory: a locked file that contains the driver's process id. The kernel
 * unlocks the file however the process ends.
 */
public final class DirectoryLock implements AutoCloseable {
    /** Name of the file. */
    public static final String NAME = "lock";

    private static final Set<PosixFilePermission> OWNER_READ_WRITE =
            PosixFilePermissions.fromString("rw-------");

    /** Lock files held by drivers of this process, by device and inode. */
    private static final Set<Object> HELD = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel;

    /** Device and inode of the file, which no other file can have while the channel is open. */
    private final Object identity;

    private DirectoryLock(Path file, FileChannel channel, Object identity) {
        this.file = file;
        this.channel = channel;
        this.identity = identity;
    }

    /**
     * Takes the lock. If this process holds it already, the file is not even opened, because
     * closing any descriptor of the file would release the process's lock.
     *
     * @param directory existing directory, as a real path.
     * @return the lock; null if its file was deleted in the meantime.
     * @throws BusException if another driver holds the lock.
     */
    static DirectoryLock take(Path directory) throws IOException {
        Path file = directory.resolve(NAME);
        Object identity;
        try {
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_READ_WRITE));
            }
            identity = HeldPath.identity(file, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException | FileAlreadyExistsException e) {
            return null;
        }
        if (!HELD.add(identity)) {
            throw inUse(directory, Long.toString(ProcessHandle.current().pid()));
        }
        FileChannel held = null;
        try {
            held = tryLock(directory, file, identity);
        } finally {
            if (held == null) {
                HELD.remove(identity);
            }
        }
        return held == null ? null : new DirectoryLock(file, held, identity);
    }

    private static FileChannel tryLock(Path directory, Path file, Object identity)
            throws IOException {
        FileChannel channel;
        try {
            channel =
                    FileChannel.open(
                            file,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
        boolean held = false;
        try {
            if (channel.tryLock() == null) {
                throw inUse(directory, holder(channel));
            }
            held = isAt(file, identity);
            if (held) {
                byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(US_ASCII);
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(pid), 0);
            }
        } finally {
            if (!held) {
                channel.close();
            }
        }
        return held ? channel : null;
    }

    private static boolean isAt(Path file, Object identity) throws IOException {
        try {
            return identity.equals(HeldPath.identity(file, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Returns whether the directory's name still leads to the locked file; if not, the directory
     * was deleted or belongs to another driver.
     *
     * @throws IOException if that cannot be determined.
     */
    boolean isInPlace() throws IOException {
        return isAt(file, identity);
    }

    /** Returns whether a folder, whatever its name, contains the locked file. */
    boolean isIn(HeldPath folder) throws IOException {
        return isAt(folder.place(NAME), identity);
    }

    private static BusException inUse(Path directory, String pid) {
        return new BusException(
                "the driver directory "
                        + directory
                        + " is in use by the driver with process id "
                        + pid
                        + ": stop that driver, or choose another directory");
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(64);
        channel.read(text, 0);
        text.flip();
        String pid = US_ASCII.decode(text).toString().lines().findFirst().orElse("");
        return pid.isEmpty() ? "(unknown)" : pid;
    }

    /** Releases the lock. The file remains, unless it was deleted while the lock was held. */
    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            HELD.remove(identity);
        }
    }
}
