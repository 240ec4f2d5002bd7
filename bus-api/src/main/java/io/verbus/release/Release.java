// SPDX-License-Identifier: Apache-2.0

package io.verbus.release;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * A build of Verbus.
 *
 * @param version version of the poms, such as {@code 0.1.0}.
 * @param commit commit of the sources; ends with {@code -dirty} if files differed from the commit.
 */
public record Release(String version, String commit) {
    /** Version or commit if unknown to the build, such as outside a clone. */
    public static final String UNKNOWN = "unknown";

    /** The build that this process runs. */
    public static final Release CURRENT = read();

    /** Resource that the build writes beside this class. */
    private static final String RESOURCE = "release.properties";

    private static Release read() {
        try (InputStream resource = Release.class.getResourceAsStream(RESOURCE)) {
            Properties properties = new Properties();
            if (resource != null) { // absent where only the classes were compiled
                properties.load(resource);
            }
            return new Release(
                    properties.getProperty("version", UNKNOWN),
                    properties.getProperty("commit", UNKNOWN));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + RESOURCE + " of verbus-api", e);
        }
    }

    /** Returns the version of this JVM, such as {@code 25.0.1+8-LTS}. */
    public static String jdk() {
        return Runtime.version().toString();
    }

    /** Returns {@code version=… commit=…}, the form of builds in Aeron's labels. */
    public String text() {
        return "version=" + version + " commit=" + commit;
    }
}
