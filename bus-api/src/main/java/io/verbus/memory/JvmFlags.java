// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import io.verbus.BusException;

import org.agrona.DirectBuffer;

/** The flags that a JVM needs to share memory with another process. */
public final class JvmFlags {
    /** As they are written on the command line. */
    public static final String NEEDED =
            "--enable-native-access=ALL-UNNAMED"
                    + " --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

    private static final String UNSAFE_PACKAGE = "jdk.internal.misc";

    private JvmFlags() {}

    /**
     * Checks, before any buffer is used, that buffers can be.
     *
     * @throws BusException that names the flags, if one is missing.
     */
    public static void check() {
        if (!Object.class.getModule().isExported(UNSAFE_PACKAGE, DirectBuffer.class.getModule())) {
            throw new BusException(
                    "this JVM does not let Agrona's buffers use "
                            + UNSAFE_PACKAGE
                            + ": start it with "
                            + NEEDED);
        }
    }
}
