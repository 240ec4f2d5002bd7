// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.directory.DriverFile;
import io.verbus.directory.HeldPath;

import org.agrona.ErrorHandler;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records which clients were admitted or refused, and why: one line each, beginning with the time.
 * A file that reaches the maximum length is renamed and replaces the previous one, so that two
 * files are kept. A separate thread writes the lines; if it cannot keep up or cannot write, a later
 * line gives the number of lost lines. Failed operations are retried with each line.
 *
 * <p>The log is identified by its open file, not by the name: only that file is renamed. If another
 * program renames or deletes the file, the log creates a new one, unless the file was in the driver
 * directory.
 */
public final class AuditLog implements AutoCloseable {
    /** Suffix of the previous file. */
    private static final String BEFORE = ".1";

    private static final int MAX_WAITING = 1024;
    private static final String END = "";

    private final Path file;
    private final boolean isInDriverDirectory;
    private final long maxLength;
    private final ErrorHandler errors;
    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(MAX_WAITING);
    private final AtomicLong lost = new AtomicLong();
    private final Thread writer = new Thread(this::write, "verbus-audit");

    // Used by the writing thread
    private FileChannel channel;
    private Object identity;
    private boolean isRenamed;
    private boolean hasFailed;
    private boolean hasFailedToRotate;

    private AuditLog(Path file, boolean isInDriverDirectory, long maxLength, ErrorHandler errors) {
        this.file = file;
        this.isInDriverDirectory = isInDriverDirectory;
        this.maxLength = maxLength;
        this.errors = errors;
    }

    /**
     * Opens the log, and appends to an existing file.
     *
     * @param directory directory of the driver.
     * @param name name of the file; without a folder, the file is created in the driver directory
     *     and deleted with it.
     * @param maxLength length in bytes at which the next file begins.
     * @param errors called if the log can no longer be written.
     * @throws BusException if the log cannot be opened.
     */
    public static AuditLog open(Path directory, Path name, long maxLength, ErrorHandler errors) {
        Path file = directory.resolve(name);
        AuditLog log = new AuditLog(file, file.getParent().equals(directory), maxLength, errors);
        try {
            log.openFile();
        } catch (IOException e) {
            throw new BusException(
                    "cannot open the audit log "
                            + file
                            + " ("
                            + e
                            + "): create its folder, make the folder writable for the driver's"
                            + " user, or choose another audit-file",
                    e);
        }
        log.writer.setDaemon(true);
        log.writer.start();
        return log;
    }

    /** Opens the next file, and closes the previous one once the next is open. */
    private void openFile() throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            if (isInDriverDirectory) {
                DriverFile.create(file).close();
            } else {
                Files.createFile(
                        file,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-r-----")));
            }
        }
        FileChannel next =
                FileChannel.open(
                        file,
                        Set.of(
                                StandardOpenOption.WRITE,
                                StandardOpenOption.APPEND,
                                LinkOption.NOFOLLOW_LINKS));
        Object nextIdentity;
        try {
            nextIdentity = HeldPath.identity(file, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            next.close();
            throw e;
        }
        FileChannel before = channel;
        channel = next;
        identity = nextIdentity;
        if (before != null) {
            before.close();
        }
    }

    /** Adds a line. Does not block. Thread-safe. */
    public void add(String event) {
        String line = Instant.now().truncatedTo(ChronoUnit.MICROS) + " " + printable(event) + "\n";
        if (!lines.offer(line)) {
            lost.incrementAndGet();
        }
    }

    /** Replaces control characters, so that text from a peer cannot imitate a line. */
    private static String printable(String event) {
        return event.replaceAll("\\p{Cntrl}", "?");
    }

    private void write() {
        try {
            for (String line = lines.take(); !line.equals(END); line = lines.take()) {
                rotate();
                append(line);
            }
            if (lost.get() > 0) {
                append("");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            // A driver must not continue without its audit log.
            errors.onError(new AssertionError("the audit log's thread has ended", e));
        }
    }

    /**
     * Renames the file. If that fails, the open file grows beyond its maximum length, so that no
     * line is lost.
     */
    private void rotate() {
        try {
            if (!isRenamed) {
                boolean isInPlace = isInPlace();
                if (isInPlace ? channel.size() < maxLength : isInDriverDirectory) {
                    return;
                }
                if (isInPlace) {
                    Files.move(
                            file,
                            file.resolveSibling(file.getFileName() + BEFORE),
                            StandardCopyOption.REPLACE_EXISTING);
                    isRenamed = true;
                }
            }
            openFile();
            isRenamed = false;
            if (hasFailedToRotate) {
                hasFailedToRotate = false;
                tell("continues in a new file", null);
            }
        } catch (IOException e) {
            if (!hasFailedToRotate) {
                hasFailedToRotate = true;
                tell(
                        "cannot start a new file ("
                                + e
                                + ") and continues in the old one: let the driver's user create"
                                + " files in the log's folder, and check that there is free space",
                        e);
            }
        }
    }

    private boolean isInPlace() throws IOException {
        try {
            return identity.equals(HeldPath.identity(file, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private void append(String line) {
        long missed = lost.getAndSet(0);
        long lengthBefore = -1;
        try {
            String text = missed == 0 ? line : "lost lines=" + missed + "\n" + line;
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            lengthBefore = channel.size();
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            if (hasFailed) {
                hasFailed = false;
                tell(
                        "can be written again; a line `lost lines=N` gives the number of lost"
                                + " lines",
                        null);
            }
        } catch (IOException e) {
            lost.addAndGet(missed + 1);
            takeBack(lengthBefore);
            if (!hasFailed) {
                hasFailed = true;
                tell(
                        "cannot be written ("
                                + e
                                + "), so lines are lost: free space on the log's file system",
                        e);
            }
        }
    }

    /** Removes a partly written line. */
    private void takeBack(long length) {
        try {
            if (length >= 0 && channel.size() > length) {
                channel.truncate(length);
            }
        } catch (IOException e) {
            tell("ends with an incomplete line that cannot be removed (" + e + ")", e);
        }
    }

    private void tell(String what, IOException cause) {
        errors.onError(new BusException("the audit log " + file + " " + what, cause));
    }

    /** Writes all added lines, then closes. Idempotent. */
    @Override
    public void close() {
        try {
            if (writer.isAlive()) {
                lines.put(END);
                writer.join();
            }
            channel.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            errors.onError(
                    new BusException("cannot close the audit log " + file + " (" + e + ")", e));
        }
    }
}
