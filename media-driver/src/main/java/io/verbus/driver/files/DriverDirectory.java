// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.directory.DefaultDirectory;
import io.verbus.directory.DriverFile;
import io.verbus.directory.FileStores;
import io.verbus.directory.HeldPath;
import io.verbus.directory.ProcessAccount;
import io.verbus.memory.JvmFlags;

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
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The directory of a running driver, held by a {@link DirectoryLock}. The next driver that opens
 * the directory removes the files of a dead driver.
 *
 * <p>Only files that a driver creates are ever deleted: a directory with other content is rejected.
 * A driver that holds the lock identifies its directory by inode rather than by name: if another
 * driver's directory has replaced its own, it deletes nothing; see {@link #loss}.
 */
public final class DriverDirectory implements AutoCloseable {
    /** Folder of publication logs. */
    public static final String PUBLICATIONS = "publications";

    /** Folder of image logs. */
    public static final String IMAGES = "images";

    static final List<String> LOG_FOLDERS = List.of(PUBLICATIONS, IMAGES);
    private static final Set<String> MEMORY_FILE_SYSTEMS = Set.of("tmpfs", "ramfs", "hugetlbfs");
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");
    private static final Pattern UNIQUE =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final long ABANDONED_AGE_MS = 10_000;
    private static final int ATTEMPTS = 10;

    /** Age at which an Aeron driver's heartbeat counts as stale. */
    private static final long FOREIGN_TIMEOUT_MS = 10_000;

    private final DirectoryLock lock;
    private final HeldPath folder;
    private final Map<String, HeldPath> logFolders = new LinkedHashMap<>();
    private boolean isKept;
    private boolean isReleased;

    private DriverDirectory(DirectoryLock lock, HeldPath folder) {
        this.lock = lock;
        this.folder = folder;
    }

    /** Returns the default directory of this user's driver. */
    public static Path defaultPath() {
        return Path.of(DefaultDirectory.name());
    }

    /** Returns a path that no other driver uses yet. */
    public static Path uniquePath() {
        String name = System.getProperty("user.name");
        return base().resolve("verbus-" + name + "-" + UUID.randomUUID());
    }

    private static Path base() {
        return Files.isDirectory(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Creates or takes over a directory for this user alone, and empties it.
     *
     * @param path path of the directory.
     * @return the directory, locked and empty except for the lock.
     * @throws BusException if it is in use, belongs to another account, or cannot be created.
     */
    public static DriverDirectory open(Path path) {
        return open(path, null, DirectoryAccess.CLIENTS);
    }

    /**
     * Creates or takes over a directory, and empties it.
     *
     * @param path path of the directory.
     * @param group group whose members may be clients or read; null for none.
     * @param access access of the group's members.
     * @return the directory, locked and empty except for the lock.
     * @throws BusException if it is in use, belongs to another account, or cannot be created.
     */
    public static DriverDirectory open(Path path, String group, DirectoryAccess access) {
        Path absolute = path.toAbsolutePath().normalize();
        DirectoryContent.checkAscii("the driver directory", absolute, "--dir");
        try {
            // A driver that is closing deletes the lock file that was just opened: try again.
            for (int i = 0; i < ATTEMPTS; i++) {
                make(absolute);
                DriverDirectory directory = lock(absolute);
                if (directory != null) {
                    return emptied(directory, group, access);
                }
            }
        } catch (IOException e) {
            throw new BusException(
                    "cannot create the driver directory "
                            + absolute
                            + " ("
                            + e
                            + "): choose another directory with --dir",
                    e);
        }
        throw new BusException(
                "the driver directory " + absolute + " is being deleted: start the driver again");
    }

    /** Locks a directory; returns null if it was deleted or replaced in the meantime. */
    private static DriverDirectory lock(Path absolute) throws IOException {
        Path real;
        DirectoryLock lock;
        try {
            real = absolute.toRealPath();
            DirectoryContent.checkAscii("the driver directory", real, "--dir");
            lock = DirectoryLock.take(real);
        } catch (NoSuchFileException e) {
            return null;
        }
        DriverDirectory directory = null;
        try {
            if (lock != null) {
                HeldPath folder = HeldPath.openFolder(real);
                directory = new DriverDirectory(lock, folder);
            }
            if (directory != null && !lock.isIn(directory.folder)) {
                directory.folder.close();
                directory = null;
            }
        } finally {
            if (directory == null && lock != null) {
                lock.close();
            }
        }
        return directory;
    }

    private static DriverDirectory emptied(
            DriverDirectory directory, String group, DirectoryAccess access) throws IOException {
        try {
            checkOthersAreDead(directory.path());
            // Not until it is clear that no driver runs in the directory, because that driver might
            // share it with a group.
            Files.setPosixFilePermissions(directory.folder.held(), OWNER_ONLY);
            directory.removeAllButTheLock();
            directory.share(group, access);
            for (String name : LOG_FOLDERS) {
                directory.makeFolder(name);
            }
        } catch (IOException | BusException e) {
            directory.release();
            throw e;
        }
        return directory;
    }

    /** Checks the heartbeat of an Aeron driver, which holds no lock. */
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
                                + ", whose last heartbeat is "
                                + age
                                + " ms old: stop that driver, or choose another directory");
            }
        } catch (ForeignDriverException e) {
            throw e;
        } catch (BusException e) {
            return; // not a live driver's file
        }
    }

    private static final class ForeignDriverException extends BusException {
        private static final long serialVersionUID = 1L;

        private ForeignDriverException(String message) {
            super(message);
        }
    }

    /** Creates a folder in the directory, with the directory's group and permissions. */
    private void makeFolder(String name) throws IOException {
        Path made = folder.place(name);
        Files.createDirectory(made, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        for (String attribute : List.of("unix:gid", "unix:mode")) {
            Files.setAttribute(made, attribute, Files.getAttribute(folder.held(), attribute));
        }
        logFolders.put(name, HeldPath.openFolder(path().resolve(name)));
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
                                + " is a link or a file, not a directory: remove it, or choose"
                                + " another path",
                        e);
            }
        }
        DirectoryContent.checkOwner("the driver directory", path);
        DirectoryContent.check(path);
    }

    /** Gives the directory to a group, whose members may then connect; see {@link DriverFile}. */
    private void share(String group, DirectoryAccess access) {
        if (group == null) {
            return;
        }
        try {
            Path held = folder.held();
            GroupPrincipal principal =
                    held.getFileSystem()
                            .getUserPrincipalLookupService()
                            .lookupPrincipalByGroupName(group);
            Files.getFileAttributeView(held, PosixFileAttributeView.class).setGroup(principal);
            Files.setAttribute(
                    held,
                    "unix:mode",
                    access == DirectoryAccess.READERS
                            ? DriverFile.READERS_DIRECTORY
                            : DriverFile.GROUP_DIRECTORY);
        } catch (IOException e) {
            close();
            throw new BusException(
                    "the driver directory "
                            + path()
                            + " cannot be assigned to the directory-group '"
                            + group
                            + "' ("
                            + (e instanceof UserPrincipalNotFoundException
                                    ? "there is no such group"
                                    : e.getMessage())
                            + "): set directory-group to a group that contains user "
                            + ProcessAccount.current().user().getName(),
                    e);
        }
    }

    /** Removes this driver's logs, or those of a dead driver. */
    private void removeLogs() throws IOException {
        for (String name : LOG_FOLDERS) {
            HeldPath own = logFolders.get(name);
            Path logs = own == null ? folder.place(name) : own.held();
            if (own != null || Files.isDirectory(logs, LinkOption.NOFOLLOW_LINKS)) {
                for (Path log : DirectoryContent.list(logs)) {
                    Files.deleteIfExists(log);
                }
            }
        }
    }

    private void removeAllButTheLock() throws IOException {
        DirectoryContent.check(path());
        removeLogs();
        for (Path file : DirectoryContent.list(folder.held())) {
            if (!file.getFileName().toString().equals(DirectoryLock.NAME) && lock.isIn(folder)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Removes the directories that embedded drivers of killed processes left behind. */
    public static void removeAbandoned() {
        JvmFlags.check(); // before Agrona's error, which does not name the missing flags
        String prefix = "verbus-" + System.getProperty("user.name") + "-";
        try {
            for (Path path : DirectoryContent.list(base())) {
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

    /** Returns whether a lock file is old enough to be locked by now if its driver is alive. */
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
            // In use, or owned by another account.
            return;
        }
        abandoned.close();
    }

    public Path path() {
        return folder.path();
    }

    /**
     * Returns why this driver must end: the directory's name no longer leads to its directory, so
     * clients cannot find the driver, and whatever has that name now belongs to another driver.
     * Thread-safe.
     *
     * @return the reason; null while the name leads to the directory, or if that cannot be
     *     determined.
     */
    public BusException loss() {
        try {
            if (lock.isInPlace()) {
                return null;
            }
        } catch (IOException unknown) {
            return null;
        }
        String what =
                Files.exists(path().resolve(DirectoryLock.NAME), LinkOption.NOFOLLOW_LINKS)
                        ? " now belongs to another driver"
                        : " was deleted or moved";
        return new BusException(
                "the driver directory "
                        + path()
                        + what
                        + " while this driver (process id "
                        + ProcessHandle.current().pid()
                        + ") was running, so clients can no longer find this driver, and it shuts"
                        + " down: start the driver again, and always stop it before deleting its"
                        + " directory");
    }

    /** Returns the log folder {@link #PUBLICATIONS} or {@link #IMAGES}. */
    HeldPath logs(String name) {
        return logFolders.get(name);
    }

    /** Returns the type of the directory's file system. */
    public String fileSystem() {
        try {
            return Files.getFileStore(path()).type();
        } catch (IOException e) {
            throw new BusException(
                    "cannot determine the file system of the driver directory "
                            + path()
                            + ": "
                            + FileStores.problem(e),
                    e);
        }
    }

    /** Returns whether the file system is in memory, which RDMA registration requires. */
    public boolean isInMemory() {
        return MEMORY_FILE_SYSTEMS.contains(fileSystem());
    }

    /** Returns a warning of slow files; null if the directory is in memory. */
    public BusException warning() {
        return isInMemory()
                ? null
                : new BusException(
                        "WARN: the driver directory "
                                + path()
                                + " is on file system "
                                + fileSystem()
                                + ", whose writeback causes latency spikes: use a directory on"
                                + " tmpfs, such as /dev/shm/verbus");
    }

    /** Makes {@link #close} keep the CnC file and the loss report. */
    public void keep() {
        isKept = true;
    }

    /**
     * Deletes all files and the directory, or only the logs if the directory is kept; then releases
     * the lock. Deletes nothing if the path now leads to another directory.
     */
    @Override
    public void close() {
        if (isReleased) {
            return;
        }
        try {
            removeLogs();
            if (!isKept && lock.isInPlace()) {
                removeAllButTheLock();
                // Deleted last, while it is locked: a driver that opens the directory now creates
                // its own lock file.
                Files.deleteIfExists(folder.place(DirectoryLock.NAME));
                Files.deleteIfExists(path());
            }
        } catch (DirectoryNotEmptyException e) {
            // The next driver has already begun to use the directory.
            return;
        } catch (IOException e) {
            throw new BusException("cannot delete the driver directory " + path() + ": " + e, e);
        } finally {
            release();
        }
    }

    private void release() {
        if (isReleased) {
            return;
        }
        isReleased = true;
        logFolders.values().forEach(HeldPath::close);
        folder.close();
        try {
            lock.close();
        } catch (IOException e) {
            throw new BusException("cannot close the lock of " + path() + ": " + e, e);
        }
    }
}
