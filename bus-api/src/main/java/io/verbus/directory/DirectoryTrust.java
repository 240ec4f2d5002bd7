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
 * Whose driver a process believes. A directory such as {@code /dev/shm/verbus-USER} can be made by
 * anybody who comes first, so a file of it is opened only if:
 *
 * <ul>
 *   <li>the directory and the file belong to the user of this process, to root, or to the owner
 *       that was named;
 *   <li>others may not write to either, and their group only if it is the group of this process or
 *       the one that was named;
 *   <li>the file lies in the directory or on the mount of huge pages that was named, once all links
 *       are followed.
 * </ul>
 *
 * @param owner name or number of the user, besides this one and root; null for none.
 * @param group name or number of the group, besides this process' own; null for none.
 * @param logDirectory mount of huge pages on which the driver has its logs; null for none.
 */
public record DirectoryTrust(String owner, String group, Path logDirectory) {
    /** Nobody but this user and root. */
    public static final DirectoryTrust OWN = new DirectoryTrust(null, null, null);

    private static final String ROOT = "0";

    /**
     * Opens a file of a driver directory.
     *
     * @param directory of the driver.
     * @param file in it, or elsewhere by an absolute path.
     * @param readOnly whether it is only read.
     * @return the open file; what was checked is what was opened, whatever other users do
     *     meanwhile.
     * @throws NoSuchFileException if the directory or the file does not exist.
     * @throws IOException if it cannot be opened.
     * @throws BusException if it may not be opened, or is not to be trusted.
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
                            + " lies neither in the driver directory nor "
                            + (mount == null
                                    ? "on a mount of huge pages that was named"
                                    : "in the log-directory " + mount)
                            + ": name the log-directory of the driver, or start the driver again");
        }
        return mount;
    }

    /** A link that a stranger made leads where the stranger wants. */
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
     * @throws BusException if an account that is not trusted may.
     */
    void check(Path file, PosixFileAttributes attributes) throws IOException {
        checkOwner(file, attributes.owner());
        if (attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new UntrustedException(
                    file
                            + " can be written to by every user, and what is in it may be"
                            + " anybody's: have its owner take that right away, with `chmod o-w "
                            + file
                            + "`");
        }
        if (attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
                && !isTrusted(attributes.group())) {
            throw new UntrustedException(
                    file
                            + " can be written to by group "
                            + attributes.group().getName()
                            + ", which is not this process' own: if its members are to be trusted,"
                            + " name it as directory-group");
        }
    }

    private void checkOwner(Path file, UserPrincipal fileOwner) throws IOException {
        if (!isTrusted(fileOwner)) {
            throw new UntrustedException(
                    file
                            + " belongs to user "
                            + fileOwner.getName()
                            + ", neither to "
                            + ProcessAccount.current().user().getName()
                            + " nor to root: if "
                            + fileOwner.getName()
                            + " is to be trusted, name that user as directory-owner, else choose"
                            + " another driver directory");
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
                            + "' is no user of this host: give a user's name or number",
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
                            + "' is no group of this host: give a group's name or number",
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
                        + ": run as the driver's user, or start the driver with directory-group and"
                        + " a group of "
                        + user
                        + ", and name directory-owner and directory-group to this process",
                e);
    }

    private static String ownerOf(Path directory) {
        try {
            return ", in a directory of user " + Files.getOwner(directory).getName() + ",";
        } catch (IOException unknown) {
            return ""; // a folder above may be closed, too
        }
    }
}
