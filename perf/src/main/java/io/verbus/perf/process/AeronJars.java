// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

import io.verbus.BusException;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Locates Aeron's jars, which are on no class path by default. */
public final class AeronJars {
    /**
     * System property: directory of the jars; by default, a directory beside that of Verbus' jars.
     */
    public static final String FOLDER_PROPERTY = "verbus.perf.peer";

    private AeronJars() {}

    /**
     * Returns a class path that contains some classes and Aeron's jars.
     *
     * @param more classes to add, each with the whole jar or directory that contains it.
     * @throws BusException if the jars are missing.
     */
    public static String classPath(Class<?>... more) {
        return Stream.concat(
                        Stream.of(jars()),
                        Stream.of(more).map(AeronJars::place).map(Path::toString))
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Returns this process's class path followed by Aeron's jars, sorted by name. Verbus' versions
     * of shared libraries, such as Agrona, take precedence.
     *
     * @throws BusException if the jars are missing.
     */
    public static String behindOwnClassPath() {
        String own = System.getProperty("java.class.path");
        File[] jars = new File(folder()).listFiles();
        return Stream.concat(Stream.of(own), Stream.of(jars).map(File::getPath).sorted())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns Aeron's jars as a class path entry. */
    static String jars() {
        return folder() + File.separator + "*";
    }

    private static String folder() {
        Path folder = Path.of(System.getProperty(FOLDER_PROPERTY, defaultFolder()));
        if (!Files.isDirectory(folder)) {
            throw new BusException("Aeron's jars are not in " + folder + ": run `./verbus build`");
        }
        return folder.toString();
    }

    private static String defaultFolder() {
        return place(AeronJars.class).resolveSibling("../peer").normalize().toString();
    }

    private static Path place(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException ex) {
            throw new BusException("cannot locate the classes of " + type, ex);
        }
    }
}
