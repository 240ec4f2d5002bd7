// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.verbus.BusException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lock of a driver directory: a file in it that names the driver's process, and that the kernel
 * lets go of when that process ends in any way.
 */
public final class DirectoryLock implements AutoCloseable {
    /** Name of the file. */
    public static final String NAME = "lock";

    private static final Set<PosixFilePermission> OWNER_READ_WRITE =
            PosixFilePermissions.fromString("rw-------");

    /** Directories that drivers of this process hold. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel channel;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /**
     * Takes the lock. Where this process has it already, the file is not even opened: the kernel
     * drops a process's lock when any of its descriptors of the file is closed.
     *
     * @param directory that exists, by its real path.
     * @return the lock; null if its file was deleted meanwhile.
     * @throws BusException if another driver has it.
     */
    static DirectoryLock take(Path directory) throws IOException {
        if (!HELD.add(directory)) {
            throw inUse(directory, Long.toString(ProcessHandle.current().pid()));
        }
        FileChannel held = null;
        try {
            held = tryLock(directory, directory.resolve(NAME));
        } finally {
            if (held == null) {
                HELD.remove(directory);
            }
        }
        return held == null ? null : new DirectoryLock(directory, held);
    }

    private static FileChannel tryLock(Path directory, Path file) throws IOException {
        Object opened;
        FileChannel channel;
        try {
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_READ_WRITE));
            }
            opened = fileKey(file);
            channel =
                    FileChannel.open(
                            file,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException | FileAlreadyExistsException e) {
            return null;
        }
        boolean held = false;
        try {
            if (channel.tryLock() == null) {
                throw inUse(directory, holder(channel));
            }
            held = opened.equals(fileKey(file));
            if (held) {
                byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(US_ASCII);
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(pid), 0);
            }
        } catch (NoSuchFileException e) {
            held = false;
        } finally {
            if (!held) {
                channel.close();
            }
        }
        return held ? channel : null;
    }

    private static Object fileKey(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    private static BusException inUse(Path directory, String pid) {
        return new BusException(
                "the driver directory "
                        + directory
                        + " is in use by the driver with process id "
                        + pid
                        + ": stop it, or choose another directory");
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(64);
        channel.read(text, 0);
        text.flip();
        String pid = US_ASCII.decode(text).toString().lines().findFirst().orElse("");
        return pid.isEmpty() ? "(unknown)" : pid;
    }

    /** Lets go of the lock. The file stays, unless it was deleted while the lock was held. */
    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            HELD.remove(directory);
        }
    }
}
