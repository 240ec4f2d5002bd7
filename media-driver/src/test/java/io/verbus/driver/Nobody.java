// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts processes of the user nobody, which only root can. Their class path is a copy, because the
 * original may be unreadable to nobody.
 */
final class Nobody {
    /** User and group. */
    static final String ID = "65534";

    private static final List<String> BECOME =
            List.of("setpriv", "--reuid=" + ID, "--regid=" + ID, "--clear-groups", "--");

    private final String classPath;

    /**
     * @param folder to which the class path is copied, and which is opened to everybody.
     */
    Nobody(Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> copied = new ArrayList<>();
        String[] entries = System.getProperty("java.class.path").split(File.pathSeparator);
        for (int i = 0; i < entries.length; i++) {
            Path from = Path.of(entries[i]);
            if (Files.exists(from)) {
                Path to = folder.resolve(i + (Files.isDirectory(from) ? "" : ".jar"));
                copy(from, to);
                copied.add(to.toString());
            }
        }
        classPath = String.join(File.pathSeparator, copied);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(
                from,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) throws IOException {
                        Path made = Files.createDirectory(to.resolve(from.relativize(folder)));
                        open(made, "rwxr-xr-x");
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Path made = file.equals(from) ? to : to.resolve(from.relativize(file));
                        open(Files.copy(file, made), "rw-r--r--");
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    private static void open(Path path, String rights) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
    }

    /** Whether this process may switch to the user nobody. */
    static boolean isPossible() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    }

    ChildProcess start(Class<?> main, String... args) {
        return ChildProcess.start(BECOME, classPath, main, args);
    }
}
