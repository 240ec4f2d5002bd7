// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import io.verbus.BusException;

import org.agrona.DirectBuffer;

/** The flags with which a JVM can share memory with another process. */
public final class JvmFlags {
    /** The flags in the syntax of the command line. */
    public static final String NEEDED =
            "--enable-native-access=ALL-UNNAMED"
                    + " --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

    private static final String UNSAFE_PACKAGE = "jdk.internal.misc";

    private JvmFlags() {}

    /**
     * Checks that buffers can be used, before any is.
     *
     * @throws BusException if a flag is missing; the message names the flags.
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
