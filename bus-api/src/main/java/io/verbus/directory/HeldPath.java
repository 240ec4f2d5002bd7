// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import io.verbus.BusException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A file or folder held by its descriptor. Its {@link #path} may later refer to another one, such
 * as the directory of a driver that was started after this driver's was deleted. {@link #held} and
 * {@link #place} always lead to what was opened, because the kernel resolves {@code
 * /proc/self/fd/N} to the file of the descriptor. So the file that is checked is the file that is
 * read.
 *
 * <p>Thread-safe. Do not use either path after {@link #close}, because descriptors are reused.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/open.2.html">open(2)</a>
 * @see <a href="https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html">proc_pid_fd(5)</a>
 */
public final class HeldPath implements AutoCloseable {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int ENOENT = 2;
    private static final int EACCES = 13;
    private static final int EMFILE = 24;

    private final Path path;
    private final int descriptor;
    private final Path held;

    private HeldPath(Path path, int descriptor) {
        this.path = path;
        this.descriptor = descriptor;
        this.held = DESCRIPTORS.resolve(Integer.toString(descriptor));
    }

    /**
     * Opens a file or folder for reading, following links.
     *
     * @throws NoSuchFileException if it does not exist.
     * @throws IOException if it cannot be opened.
     */
    public static HeldPath open(Path path) throws IOException {
        // Non-blocking, so that opening a pipe does not wait.
        return open(path, O_RDONLY | O_NONBLOCK);
    }

    /**
     * Opens a file for reading and writing, following links.
     *
     * @throws NoSuchFileException if it does not exist.
     * @throws IOException if it cannot be opened.
     */
    public static HeldPath openToWrite(Path path) throws IOException {
        return open(path, O_RDWR | O_NONBLOCK);
    }

    /**
     * Opens a folder.
     *
     * @param path path of the folder; must not be a link.
     * @throws IOException if it is not a directory, or was replaced at this moment.
     */
    public static HeldPath openFolder(Path path) throws IOException {
        HeldPath folder = open(path);
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || !folder.isInPlace()) {
            folder.close();
            throw new FileSystemException(
                    path.toString(), null, "not a directory, or replaced while being opened");
        }
        return folder;
    }

    private static HeldPath open(Path path, int flags) throws IOException {
        int descriptor = Calls.open(path, flags | O_CLOEXEC);
        if (descriptor >= 0) {
            return new HeldPath(path, descriptor);
        }
        String file = path.toString();
        throw switch (-descriptor) {
            case ENOENT -> new NoSuchFileException(file);
            case EACCES -> new AccessDeniedException(file);
            case EMFILE ->
                    new FileSystemException(
                            file, null, "too many open files: raise the limit (`ulimit -n`)");
            default -> new FileSystemException(file, null, "open failed with errno " + -descriptor);
        };
    }

    /** Returns the path by which the file or folder was opened. */
    public Path path() {
        return path;
    }

    /** Returns the descriptor's number. */
    public int descriptor() {
        return descriptor;
    }

    /** Returns a path that leads to what was opened, even if its name was replaced. */
    public Path held() {
        return held;
    }

    /** Returns a path to an entry in the opened folder, even if the folder's name was replaced. */
    public Path place(String name) {
        return held.resolve(name);
    }

    /**
     * Returns whether the name still leads to what was opened.
     *
     * @throws IOException if that cannot be determined.
     */
    public boolean isInPlace() throws IOException {
        try {
            return identity(held).equals(identity(path, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Returns the device and inode of a file or folder, unique while it exists or is open.
     *
     * @throws NoSuchFileException if it does not exist.
     */
    public static Object identity(Path file, LinkOption... options) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, options).fileKey();
    }

    @Override
    public void close() {
        int result = Calls.close(descriptor);
        assert result == 0; // a failed close has released the descriptor nevertheless
    }

    /** Functions of the C library, linked on first use. */
    private static final class Calls {
        private static final StructLayout ERRNO = Linker.Option.captureStateLayout();
        private static final VarHandle ERRNO_VALUE =
                ERRNO.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        private static final MethodHandle OPEN =
                link(
                        "open",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                        Linker.Option.firstVariadicArg(2),
                        Linker.Option.captureCallState("errno"));
        private static final MethodHandle CLOSE =
                link("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

        private Calls() {}

        @SuppressWarnings("restricted")
        private static MethodHandle link(
                String name, FunctionDescriptor descriptor, Linker.Option... options) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow(name), descriptor, options);
        }

        /** Returns the descriptor or the negative errno. */
        static int open(Path file, int flags) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(ERRNO);
                MemorySegment name = arena.allocateFrom(file.toString());
                int descriptor = (int) OPEN.invokeExact(state, name, flags);
                return descriptor < 0 ? -(int) ERRNO_VALUE.get(state, 0L) : descriptor;
            } catch (Throwable e) {
                throw new BusException("cannot call open(): " + e, e);
            }
        }

        static int close(int descriptor) {
            try {
                return (int) CLOSE.invokeExact(descriptor);
            } catch (Throwable e) {
                throw new BusException("cannot call close(): " + e, e);
            }
        }
    }
}
