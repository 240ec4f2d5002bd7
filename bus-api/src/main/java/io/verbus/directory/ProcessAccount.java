// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import io.verbus.BusException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;

/**
 * User and group with which this process opens and makes files, as the kernel has them: the JVM's
 * {@code user.name} may say something else, and {@code /proc/self} belongs to root where the
 * process may not be traced.
 *
 * @param user that owns the files which the process makes.
 * @param group that those files belong to.
 */
public record ProcessAccount(UserPrincipal user, GroupPrincipal group) {
    private static final Path STATUS = Path.of("/proc/self/status");

    /** Words of a line of identities: its name, then real, effective, saved and file system's. */
    private static final int FILE_SYSTEM = 4;

    private static final ProcessAccount CURRENT = read();

    /** The account of this process. */
    public static ProcessAccount current() {
        return CURRENT;
    }

    private static ProcessAccount read() {
        String uid = "";
        String gid = "";
        try {
            for (String line : Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith("Uid:")) {
                    uid = line.split("\\s+")[FILE_SYSTEM];
                } else if (line.startsWith("Gid:")) {
                    gid = line.split("\\s+")[FILE_SYSTEM];
                }
            }
            UserPrincipalLookupService lookup =
                    FileSystems.getDefault().getUserPrincipalLookupService();
            return new ProcessAccount(
                    lookup.lookupPrincipalByName(uid), lookup.lookupPrincipalByGroupName(gid));
        } catch (IOException e) {
            throw new BusException(
                    "cannot tell the user of this process from "
                            + STATUS
                            + " ("
                            + e
                            + "): mount /proc",
                    e);
        }
    }
}
