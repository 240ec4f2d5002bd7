// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import io.verbus.BusException;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;

/**
 * Decides which drivers a process trusts. Any user may create a directory such as {@code
 * /dev/shm/verbus-USER} first, so a file in it is opened only if:
 *
 * <ul>
 *   <li>the directory and the file belong to the user of this process, to root, or to the
 *       configured owner;
 *   <li>others cannot write to either, and their group can only if it is the group of this process
 *       or the configured one;
 *   <li>the file, after following all links, is in the directory or on the configured mount of huge
 *       pages.
 * </ul>
 *
 * @param owner name or number of a user to trust besides this user and root; null for none.
 * @param group name or number of a group to trust besides this process's own; null for none.
 * @param logDirectory mount of huge pages with the driver's logs; null for none.
 */
public record DirectoryTrust(String owner, String group, Path logDirectory) {
    /** Trusts only this user and root. */
    public static final DirectoryTrust OWN = new DirectoryTrust(null, null, null);

    private static final String ROOT = "0";

    /**
     * Opens a file of a driver directory.
     *
     * @param directory directory of the driver.
     * @param file file in the directory, or elsewhere by an absolute path.
     * @param readOnly whether to open the file read-only.
     * @return the open file, which is the file that was checked even if other users replace it in
     *     the meantime.
     * @throws NoSuchFileException if the directory or the file does not exist.
     * @throws IOException if the file cannot be opened.
     * @throws BusException if access is denied, or the file is not trusted.
     */
    public FileChannel open(Path directory, Path file, boolean readOnly) throws IOException {
        try {
            checkLink(directory);
            Path base = directory.toRealPath();
            Path place = directory.resolve(file).toRealPath();
            boolean isInDirectory = place.startsWith(base);
            if (!isInDirectory) {
                base = logMount(place);
            }
            try (TrustedFolder folder = TrustedFolder.open(base, this, isInDirectory)) {
                return folder.open(base.relativize(place), readOnly);
            }
        } catch (AccessDeniedException e) {
            throw denied(directory, file, e);
        }
    }

    private Path logMount(Path place) throws IOException {
        Path mount = logDirectory == null ? null : logDirectory.toRealPath();
        if (mount == null || !place.startsWith(mount)) {
            throw new BusException(
                    place
                            + " is neither in the driver directory nor "
                            + (mount == null
                                    ? "on a configured huge-page mount"
                                    : "in the log-directory " + mount)
                            + ": set log-directory to the driver's log-directory, or restart the"
                            + " driver");
        }
        return mount;
    }

    /** Checks the owner of a link, which decides where the link leads. */
    private void checkLink(Path directory) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(
                        directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (attributes.isSymbolicLink()) {
            checkOwner(directory, attributes.owner());
        }
    }

    /**
     * Checks which accounts may have written to a file or directory.
     *
     * @throws BusException if an untrusted account may.
     */
    void check(Path file, PosixFileAttributes attributes) throws IOException {
        checkOwner(file, attributes.owner());
        if (attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new UntrustedException(
                    file
                            + " can be written to by every user, so its content cannot be trusted:"
                            + " have its owner remove that permission with `chmod o-w "
                            + file
                            + "`");
        }
        if (attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
                && !isTrusted(attributes.group())) {
            throw new UntrustedException(
                    file
                            + " can be written to by group "
                            + attributes.group().getName()
                            + ", which is not the group of this process: if you trust its members,"
                            + " set this group as directory-group");
        }
    }

    private void checkOwner(Path file, UserPrincipal fileOwner) throws IOException {
        if (!isTrusted(fileOwner)) {
            throw new UntrustedException(
                    file
                            + " belongs to user "
                            + fileOwner.getName()
                            + ", not to "
                            + ProcessAccount.current().user().getName()
                            + " or root: if you trust "
                            + fileOwner.getName()
                            + ", set that user as directory-owner; otherwise choose another driver"
                            + " directory");
        }
    }

    private boolean isTrusted(UserPrincipal user) throws IOException {
        return user.equals(ProcessAccount.current().user())
                || user.equals(lookup().lookupPrincipalByName(ROOT))
                || owner != null && user.equals(named());
    }

    private UserPrincipal named() throws IOException {
        try {
            return lookup().lookupPrincipalByName(owner);
        } catch (UserPrincipalNotFoundException e) {
            throw new BusException(
                    "the directory-owner '"
                            + owner
                            + "' is not a user of this host: set it to the name or id of an"
                            + " existing user",
                    e);
        }
    }

    private boolean isTrusted(GroupPrincipal fileGroup) throws IOException {
        if (fileGroup.equals(ProcessAccount.current().group())) {
            return true;
        }
        if (group == null) {
            return false;
        }
        try {
            return fileGroup.equals(lookup().lookupPrincipalByGroupName(group));
        } catch (UserPrincipalNotFoundException e) {
            throw new BusException(
                    "the directory-group '"
                            + group
                            + "' is not a group of this host: set it to the name or id of an"
                            + " existing group",
                    e);
        }
    }

    private static UserPrincipalLookupService lookup() {
        return FileSystems.getDefault().getUserPrincipalLookupService();
    }

    private static BusException denied(Path directory, Path file, AccessDeniedException e) {
        String user = ProcessAccount.current().user().getName();
        return new UntrustedException(
                "permission to open "
                        + directory.resolve(file)
                        + ownerOf(directory)
                        + " is denied to user "
                        + user
                        + ": run as the driver's user, or start the driver with directory-group set"
                        + " to a group of "
                        + user
                        + ", and set directory-owner and directory-group for this process",
                e);
    }

    private static String ownerOf(Path directory) {
        try {
            return ", in a directory of user " + Files.getOwner(directory).getName() + ",";
        } catch (IOException unknown) {
            return ""; // a parent directory may be inaccessible too
        }
    }
}
