// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.cnc.ClientLocks;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LossReport;
import io.verbus.directory.ProcessAccount;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Distinguishes the files that a driver has created in its directory from other files, which are
 * never deleted.
 */
final class DirectoryContent {
    private static final Pattern OURS =
            Pattern.compile(
                    DirectoryLock.NAME
                            + "|"
                            + CncFile.NAME
                            + "|"
                            + ClientLocks.NAME
                            + "|"
                            + LossReport.NAME
                            + "|"
                            + LatencyFile.NAME
                            + "|"
                            + LatencyFile.UNFINISHED_NAME
                            + "|audit\\.log(\\.1)?");
    private static final Pattern LOG = Pattern.compile("-?\\d+\\.logbuffer");

    private DirectoryContent() {}

    /**
     * Returns whether a file has a log's name. In the driver directory such a file may be a link;
     * see {@link HugePages}.
     */
    static boolean isLog(Path file) {
        return LOG.matcher(file.getFileName().toString()).matches();
    }

    /**
     * Checks that a log folder's path is ASCII, as the clients' protocol requires.
     *
     * @param what description of the folder, which precedes the path in the message.
     * @param option option that sets the path.
     * @throws BusException if a character is not ASCII.
     */
    static void checkAscii(String what, Path path, String option) {
        String text = path.toString();
        int at = 0;
        while (at < text.length() && text.charAt(at) < 128) {
            at++;
        }
        if (at < text.length()) {
            throw new BusException(
                    what
                            + " "
                            + path
                            + " has the character '"
                            + Character.toString(text.codePointAt(at))
                            + "', which is not ASCII, so clients cannot receive the paths of logs:"
                            + " choose another path with "
                            + option);
        }
    }

    /**
     * Checks that a directory or file does not belong to another account, whose processes might
     * still have it open.
     *
     * @throws BusException if another account owns it.
     */
    static void checkOwner(String what, Path path) throws IOException {
        UserPrincipal owner = Files.getOwner(path, LinkOption.NOFOLLOW_LINKS);
        if (!owner.equals(ProcessAccount.current().user())) {
            throw new BusException(
                    what
                            + " "
                            + path
                            + " belongs to user "
                            + owner.getName()
                            + ": choose a path that belongs to your own user");
        }
    }

    /**
     * Checks that a directory contains only files that a driver of this user has created.
     *
     * @throws BusException if it contains others.
     */
    static void check(Path path) throws IOException {
        for (Path file : list(path)) {
            String name = file.getFileName().toString();
            if (DriverDirectory.LOG_FOLDERS.contains(name)
                    && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                checkOwner("the folder", file);
                for (Path log : list(file)) {
                    checkFile(path, log, isLog(log));
                }
            } else {
                checkFile(path, file, OURS.matcher(name).matches());
            }
        }
    }

    private static void checkFile(Path path, Path file, boolean isOurs) throws IOException {
        boolean isRegular = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
        if (!isOurs || !isRegular && !(Files.isSymbolicLink(file) && isLog(file))) {
            throw new BusException(
                    "the driver directory "
                            + path
                            + " holds "
                            + path.relativize(file)
                            + ", which is not a driver's file: choose a directory that only the"
                            + " driver uses");
        }
        checkOwner("the file", file);
    }

    static List<Path> list(Path path) throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.toList();
        }
    }
}
