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
 * The user and group with which this process opens and creates files, according to the kernel: the
 * JVM's {@code user.name} may differ, and {@code /proc/self} belongs to root if the process is not
 * traceable.
 *
 * @param user owner of files that the process creates.
 * @param group group of files that the process creates.
 */
public record ProcessAccount(UserPrincipal user, GroupPrincipal group) {
    private static final Path STATUS = Path.of("/proc/self/status");

    /**
     * Index of the file system id in a line: its name, then the real, effective, saved and file
     * system ids.
     */
    private static final int FILE_SYSTEM = 4;

    private static final ProcessAccount CURRENT = read();

    /** Returns the account of this process. */
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
                    "cannot determine the user of this process from "
                            + STATUS
                            + " ("
                            + e
                            + "): mount /proc",
                    e);
        }
    }
}
