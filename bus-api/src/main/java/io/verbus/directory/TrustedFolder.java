// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import io.verbus.BusException;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Set;

/**
 * A folder held by its descriptor. Its owner and permissions are read from the descriptor, and its
 * files are opened relative to it without following links, so that only users with write access to
 * the folder can replace what was checked.
 */
final class TrustedFolder implements AutoCloseable {
    private static final Set<OpenOption> READ =
            Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> WRITE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    private final Path path;
    private final DirectoryTrust trust;
    private final SecureDirectoryStream<Path> stream;

    private TrustedFolder(
            Path path, DirectoryTrust trust, DirectoryStream<Path> stream, boolean isChecked)
            throws IOException {
        this.path = path;
        this.trust = trust;
        try {
            if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
                throw new BusException(
                        path
                                + " is on a file system that cannot open files relative to a"
                                + " directory: choose a driver directory on another file system,"
                                + " such as /dev/shm");
            }
            this.stream = secure;
            if (isChecked) {
                trust.check(
                        path,
                        secure.getFileAttributeView(PosixFileAttributeView.class).readAttributes());
            }
        } catch (IOException | BusException e) {
            stream.close();
            throw e;
        }
    }

    /**
     * Opens a folder.
     *
     * @param path path without links.
     * @param trust owners and permissions to trust.
     * @param isChecked whether the folder itself must be trusted; not required of a shared mount.
     */
    static TrustedFolder open(Path path, DirectoryTrust trust, boolean isChecked)
            throws IOException {
        return new TrustedFolder(path, trust, Files.newDirectoryStream(path), isChecked);
    }

    /**
     * Opens a file in the folder or below it.
     *
     * @param relative path of the file relative to the folder.
     * @throws BusException if the file, or a folder in between, is not trusted.
     */
    FileChannel open(Path relative, boolean readOnly) throws IOException {
        if (relative.getNameCount() > 1) {
            Path name = relative.getName(0);
            try (TrustedFolder next =
                    new TrustedFolder(
                            path.resolve(name),
                            trust,
                            stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS),
                            true)) {
                return next.open(relative.subpath(1, relative.getNameCount()), readOnly);
            }
        }
        Path file = path.resolve(relative);
        PosixFileAttributes attributes =
                stream.getFileAttributeView(
                                relative, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .readAttributes();
        if (!attributes.isRegularFile()) {
            throw new BusException(
                    file
                            + " is not a regular file: remove it, and restart the driver of this"
                            + " directory");
        }
        trust.check(file, attributes);
        return (FileChannel) stream.newByteChannel(relative, readOnly ? READ : WRITE);
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
