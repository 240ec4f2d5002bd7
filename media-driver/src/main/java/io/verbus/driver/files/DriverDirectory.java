// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.cnc.ClientLocks;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.LossReport;
import io.verbus.directory.DefaultDirectory;
import io.verbus.directory.DriverFile;
import io.verbus.directory.ProcessAccount;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory of a running driver, held by a {@link DirectoryLock}. What a dead driver left in it
 * is removed when the next one opens it.
 *
 * <p>Only files that a driver makes are ever deleted: a directory with anything else is refused.
 */
public final class DriverDirectory implements AutoCloseable {
    /** Folder of publications' logs. */
    public static final String PUBLICATIONS = "publications";

    /** Folder of images' logs. */
    public static final String IMAGES = "images";

    private static final Pattern OURS =
            Pattern.compile(
                    DirectoryLock.NAME
                            + "|"
                            + CncFile.NAME
                            + "|"
                            + ClientLocks.NAME
                            + "|"
                            + LossReport.NAME
                            + "|audit\\.log(\\.1)?");
    private static final Pattern LOG = Pattern.compile("-?\\d+\\.logbuffer");
    private static final List<String> LOG_FOLDERS = List.of(PUBLICATIONS, IMAGES);
    private static final Set<String> MEMORY_FILE_SYSTEMS = Set.of("tmpfs", "ramfs", "hugetlbfs");
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");
    private static final Pattern UNIQUE =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final long ABANDONED_AGE_MS = 10_000;
    private static final int ATTEMPTS = 10;

    /** For which the heartbeat of a driver of another kind may stand still. */
    private static final long FOREIGN_TIMEOUT_MS = 10_000;

    private final Path path;
    private final DirectoryLock lock;
    private boolean isKept;

    private DriverDirectory(Path path, DirectoryLock lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Where a user's driver is found if nothing else is said. */
    public static Path defaultPath() {
        return Path.of(DefaultDirectory.name());
    }

    /** A path that no other driver has. */
    public static Path uniquePath() {
        String name = System.getProperty("user.name");
        return base().resolve("verbus-" + name + "-" + UUID.randomUUID());
    }

    private static Path base() {
        return Files.isDirectory(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Makes or takes over a directory for this user alone, and empties it.
     *
     * @param path of the directory.
     * @return the directory, locked and empty but for the lock.
     * @throws BusException if it is in use, not ours, or cannot be made.
     */
    public static DriverDirectory open(Path path) {
        return open(path, null, DirectoryAccess.CLIENTS);
    }

    /**
     * Makes or takes over a directory, and empties it.
     *
     * @param path of the directory.
     * @param group whose members may be clients, or read; null for none.
     * @param access what they may do.
     * @return the directory, locked and empty but for the lock.
     * @throws BusException if it is in use, not ours, or cannot be made.
     */
    public static DriverDirectory open(Path path, String group, DirectoryAccess access) {
        Path absolute = path.toAbsolutePath().normalize();
        try {
            // A driver that closes right now deletes the lock that was just opened: then again.
            for (int i = 0; i < ATTEMPTS; i++) {
                make(absolute);
                Path real = absolute.toRealPath();
                DirectoryLock lock = DirectoryLock.take(real);
                if (lock != null) {
                    return emptied(new DriverDirectory(real, lock), group, access);
                }
            }
        } catch (IOException e) {
            throw new BusException(
                    "the driver directory "
                            + absolute
                            + " cannot be made ("
                            + e
                            + "): choose another with --dir",
                    e);
        }
        throw new BusException(
                "the driver directory " + absolute + " is being deleted: start the driver again");
    }

    private static DriverDirectory emptied(
            DriverDirectory directory, String group, DirectoryAccess access) throws IOException {
        try {
            checkOthersAreDead(directory.path);
            directory.removeAllButTheLock();
            directory.share(group, access);
            for (String name : LOG_FOLDERS) {
                directory.makeFolder(directory.path.resolve(name));
            }
        } catch (IOException | BusException e) {
            directory.lock.close();
            throw e;
        }
        return directory;
    }

    /** A driver of another kind holds no lock: its heartbeat tells whether it lives. */
    private static void checkOthersAreDead(Path path) throws IOException {
        Path file = path.resolve(CncFile.NAME);
        if (!Files.exists(file)) {
            return;
        }
        try (CncFile cnc = CncFile.map(file)) {
            long heartbeat = new ManyToOneRingBuffer(cnc.toDriver()).consumerHeartbeatTime();
            long age = System.currentTimeMillis() - heartbeat;
            if (cnc.spec().driverId() == 0 && age <= FOREIGN_TIMEOUT_MS) {
                throw new ForeignDriverException(
                        "the driver directory "
                                + path
                                + " is in use by another media driver with process id "
                                + cnc.spec().pid()
                                + ", whose last sign of life is "
                                + age
                                + " ms old: stop it, or choose another directory");
            }
        } catch (ForeignDriverException e) {
            throw e;
        } catch (BusException e) {
            return; // no file of a live driver
        }
    }

    private static final class ForeignDriverException extends BusException {
        private static final long serialVersionUID = 1L;

        private ForeignDriverException(String message) {
            super(message);
        }
    }

    /** Makes a folder in it with its group and rights. */
    private void makeFolder(Path folder) throws IOException {
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        for (String attribute : List.of("unix:gid", "unix:mode")) {
            Files.setAttribute(folder, attribute, Files.getAttribute(path, attribute));
        }
    }

    private static void make(Path path) throws IOException {
        if (path.getParent() != null) {
            Files.createDirectories(path.getParent());
        }
        try {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new BusException(
                        "the driver directory "
                                + path
                                + " is a link or a file, not a directory: remove it or choose"
                                + " another",
                        e);
            }
        }
        checkOwner("the driver directory", path);
        checkContent(path);
        Files.setPosixFilePermissions(path, OWNER_ONLY);
    }

    /**
     * Whether a file has a log's name: in the directory it may be a link, see {@link HugePages}.
     */
    static boolean isLog(Path file) {
        return LOG.matcher(file.getFileName().toString()).matches();
    }

    /**
     * Checks that no other account has made a directory or a file, and may still have it open.
     *
     * @throws BusException if one has.
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
                            + ": choose one of your own");
        }
    }

    /** Lets a group's members connect: see {@link DriverFile}. */
    private void share(String group, DirectoryAccess access) {
        if (group == null) {
            return;
        }
        try {
            GroupPrincipal principal =
                    path.getFileSystem()
                            .getUserPrincipalLookupService()
                            .lookupPrincipalByGroupName(group);
            Files.getFileAttributeView(path, PosixFileAttributeView.class).setGroup(principal);
            Files.setAttribute(
                    path,
                    "unix:mode",
                    access == DirectoryAccess.READERS
                            ? DriverFile.READERS_DIRECTORY
                            : DriverFile.GROUP_DIRECTORY);
        } catch (IOException e) {
            close();
            throw new BusException(
                    "the driver directory "
                            + path
                            + " cannot be given to the directory-group '"
                            + group
                            + "' ("
                            + (e instanceof UserPrincipalNotFoundException
                                    ? "there is no such group"
                                    : e.getMessage())
                            + "): name a group that user "
                            + ProcessAccount.current().user().getName()
                            + " is in",
                    e);
        }
    }

    private static void checkContent(Path path) throws IOException {
        for (Path file : list(path)) {
            String name = file.getFileName().toString();
            if (LOG_FOLDERS.contains(name) && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
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
                            + ", which is no driver's file: choose a directory for the driver"
                            + " alone");
        }
        checkOwner("the file", file);
    }

    private static List<Path> list(Path path) throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.toList();
        }
    }

    private void removeLogs() throws IOException {
        for (Path file : list(path)) {
            if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                for (Path log : list(file)) {
                    Files.deleteIfExists(log);
                }
            }
        }
    }

    private void removeAllButTheLock() throws IOException {
        checkContent(path);
        removeLogs();
        for (Path file : list(path)) {
            if (!file.getFileName().toString().equals(DirectoryLock.NAME)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Removes what embedded drivers left whose process was killed. */
    public static void removeAbandoned() {
        String prefix = "verbus-" + System.getProperty("user.name") + "-";
        try {
            for (Path path : list(base())) {
                String name = path.getFileName().toString();
                if (name.startsWith(prefix)
                        && UNIQUE.matcher(name.substring(prefix.length())).matches()
                        && isOld(path.resolve(DirectoryLock.NAME))) {
                    removeIfAbandoned(path);
                }
            }
        } catch (IOException e) {
            throw new BusException("cannot list " + base() + ": " + e, e);
        }
    }

    /** One that was just made may not be locked yet. */
    private static boolean isOld(Path lock) throws IOException {
        try {
            long age = System.currentTimeMillis() - Files.getLastModifiedTime(lock).toMillis();
            return age > ABANDONED_AGE_MS;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static void removeIfAbandoned(Path path) {
        DriverDirectory abandoned;
        try {
            abandoned = open(path);
        } catch (BusException e) {
            // In use, or not ours.
            return;
        }
        abandoned.close();
    }

    public Path path() {
        return path;
    }

    /** Type of the file system that the directory is on. */
    public String fileSystem() {
        try {
            return Files.getFileStore(path).type();
        } catch (IOException e) {
            throw new BusException("cannot tell the file system of " + path + ": " + e, e);
        }
    }

    /** Whether what is written there stays in memory, as RDMA registration needs it. */
    public boolean isInMemory() {
        return MEMORY_FILE_SYSTEMS.contains(fileSystem());
    }

    /** Leaves the CnC file and the loss report where they are when the directory is closed. */
    public void keep() {
        isKept = true;
    }

    /**
     * Deletes all files and the directory, or, where it is kept, the logs alone; then lets go of
     * the lock.
     */
    @Override
    public void close() {
        try (lock) {
            if (isKept) {
                removeLogs();
                return;
            }
            removeAllButTheLock();
            // Last, and while it is held: a driver that opens the directory now finds a lock of its
            // own.
            Files.deleteIfExists(path.resolve(DirectoryLock.NAME));
            Files.deleteIfExists(path);
        } catch (DirectoryNotEmptyException e) {
            // The next driver has begun to use it already.
            return;
        } catch (IOException e) {
            throw new BusException("the driver directory " + path + " cannot be deleted: " + e, e);
        }
    }
}
