// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.directory.FileStores;
import io.verbus.directory.HeldPath;
import io.verbus.logbuffer.LogLayout;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * A driver's folder on a hugetlbfs mount, where its logs use pages of 2 MiB or 1 GiB: fewer address
 * translations for the CPU and for RDMA adapters. The driver directory, which clients know, holds a
 * link to each log. Opened and closed by the launching thread; otherwise thread-safe.
 */
public final class HugePages implements AutoCloseable {
    private static final String FILE_SYSTEM = "hugetlbfs";
    private static final Path SYSFS = Path.of("/sys/kernel/mm/hugepages");

    private final HeldPath folder;
    private final long pageLength;

    private HugePages(HeldPath folder, long pageLength) {
        this.folder = folder;
        this.pageLength = pageLength;
    }

    /**
     * Creates a folder for the driver directory, or takes it over from a killed driver.
     *
     * @param mount directory of a hugetlbfs mount.
     * @param directory driver's locked directory.
     * @param termLength default term length.
     * @throws BusException if the file system does not use huge pages, a page is longer than a
     *     term, or the folder cannot be created.
     */
    public static HugePages open(Path mount, Path directory, int termLength) {
        return make(mount, directory, check(mount, termLength));
    }

    /**
     * Checks a mount.
     *
     * @param mount directory of a hugetlbfs mount.
     * @param termLength default term length.
     * @return the page length in bytes.
     * @throws BusException as for {@link #open}.
     */
    public static long check(Path mount, int termLength) {
        DirectoryContent.checkAscii("the log-directory", mount, "--log-directory");
        long pageLength = pageLength(mount);
        checkTermLength(termLength, pageLength, mount);
        return pageLength;
    }

    /** Creates a folder with pages of a given length. */
    static HugePages make(Path mount, Path directory, long pageLength) {
        Path folder = mount.resolve(name(directory));
        try {
            if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
                DirectoryContent.checkOwner("the folder for logs", folder);
                remove(folder);
            }
            // Always a new folder, because the driver that created the old one may still be running
            // and deleting files there.
            Files.createDirectory(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            share(folder, directory);
            return new HugePages(HeldPath.openFolder(folder), pageLength);
        } catch (IOException e) {
            throw new BusException(
                    "cannot create the folder "
                            + folder
                            + " for logs ("
                            + e
                            + "): mount huge pages that this user may write to, with `mount -t"
                            + " hugetlbfs -o uid=USER,mode=700 none "
                            + mount
                            + "`",
                    e);
        }
    }

    /** Returns a name that no other driver directory has. */
    private static String name(Path directory) {
        return directory
                .toString()
                .substring(1)
                .replace("~", "~0")
                .replace("-", "~1")
                .replace('/', '-');
    }

    /** Gives the folder the driver directory's group and permissions. */
    private static void share(Path folder, Path directory) throws IOException {
        for (String attribute : List.of("unix:gid", "unix:mode")) {
            Files.setAttribute(folder, attribute, Files.getAttribute(directory, attribute));
        }
    }

    private static long pageLength(Path mount) {
        if (!Files.isDirectory(mount)) {
            throw new BusException(
                    "the log-directory "
                            + mount
                            + " does not exist: create it, and "
                            + remedy(mount));
        }
        try {
            FileStore store = Files.getFileStore(mount);
            if (!store.type().equals(FILE_SYSTEM)) {
                throw new BusException(
                        "the log-directory "
                                + mount
                                + " is on file system "
                                + store.type()
                                + ", not on huge pages: "
                                + remedy(mount));
            }
            return store.getBlockSize();
        } catch (IOException e) {
            throw new BusException(
                    "cannot read the log-directory " + mount + ": " + FileStores.problem(e), e);
        }
    }

    private static String remedy(Path mount) {
        return "mount huge pages there with `mount -t hugetlbfs none "
                + mount
                + "`, or leave log-directory unset";
    }

    private static void checkTermLength(int termLength, long pageLength, Path place) {
        if (termLength % pageLength != 0) {
            throw new BusException(
                    "the term length "
                            + termLength
                            + " is not a multiple of the huge page size "
                            + pageLength
                            + " at "
                            + place
                            + ": choose a term length of at least "
                            + pageLength
                            + ", or leave log-directory unset");
        }
    }

    /** Returns the folder of the log files. */
    HeldPath folder() {
        return folder;
    }

    /** Returns the page length in bytes. */
    long pageLength() {
        return pageLength;
    }

    /**
     * Checks that a log can be created.
     *
     * @throws BusException if a term is not a multiple of the page length, or too few pages are
     *     free.
     */
    void check(int termLength) {
        checkTermLength(termLength, pageLength, folder.path());
        long needed = LogLayout.fileLength(termLength, pageLength) / pageLength;
        long free = pages("free") - pages("resv");
        if (needed > free) {
            throw new BusException(
                    "a log with terms of "
                            + termLength
                            + " bytes takes "
                            + needed
                            + " huge pages of "
                            + pageLength
                            + " bytes, but only "
                            + free
                            + " are free: reserve more, with `sysctl vm.nr_hugepages="
                            + (pages("nr") + needed - free)
                            + "` for pages of the default size, or choose a shorter term length");
        }
    }

    private long pages(String which) {
        Path file =
                SYSFS.resolve("hugepages-" + pageLength / 1024 + "kB")
                        .resolve(which + "_hugepages");
        try {
            return Long.parseLong(Files.readString(file).strip());
        } catch (IOException | NumberFormatException e) {
            throw new BusException(
                    "cannot read the kernel's count of huge pages from " + file + ": " + e, e);
        }
    }

    /** Deletes the folder and its logs, if its name still leads to it. */
    @Override
    public void close() {
        try (folder) {
            if (folder.isInPlace()) {
                remove(folder.path());
            }
        } catch (IOException e) {
            throw new BusException("cannot delete the folder " + folder.path() + ": " + e, e);
        }
    }

    private static void remove(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("the folder is a link or a file");
        }
        for (Path file : DirectoryContent.list(folder)) {
            if (!DirectoryContent.isLog(file)) {
                throw new IOException(
                        "the folder contains " + file.getFileName() + ", which is not a log");
            }
            Files.deleteIfExists(file);
        }
        Files.deleteIfExists(folder);
    }
}
