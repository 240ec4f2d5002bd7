// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Aeron's jars, which no class path holds that is not made for them. */
public final class AeronJars {
    /** System property: the folder of the jars; by default beside that of Verbus' own. */
    public static final String FOLDER_PROPERTY = "verbus.perf.peer";

    private AeronJars() {}

    /**
     * A class path of Aeron's jars.
     *
     * @param more classes, each with all else that its jar or folder holds.
     * @throws BusException if the jars are not there.
     */
    public static String classPath(Class<?>... more) {
        return Stream.concat(
                        Stream.of(jars()),
                        Stream.of(more).map(AeronJars::place).map(Path::toString))
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * The class path of this process, and Aeron's jars behind it, in the order of their names: what
     * is in both, as Agrona, is that of Verbus.
     *
     * @throws BusException if the jars are not there.
     */
    public static String behindOwnClassPath() {
        String own = System.getProperty("java.class.path");
        File[] jars = new File(folder()).listFiles();
        return Stream.concat(Stream.of(own), Stream.of(jars).map(File::getPath).sorted())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Aeron's jars, as words of a class path. */
    static String jars() {
        return folder() + File.separator + "*";
    }

    private static String folder() {
        Path folder = Path.of(System.getProperty(FOLDER_PROPERTY, defaultFolder()));
        if (!Files.isDirectory(folder)) {
            throw new BusException("Aeron's jars are not in " + folder + "; run: ./verbus build");
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
            throw new BusException("cannot tell where the classes of " + type + " are", ex);
        }
    }
}
