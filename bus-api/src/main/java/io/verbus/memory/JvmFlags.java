// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import io.verbus.BusException;

import org.agrona.DirectBuffer;

import java.lang.foreign.MemorySegment;
import java.util.stream.Collectors;

/** The flags with which a JVM can share memory with another process. */
public final class JvmFlags {
    private static final String UNSAFE_PACKAGE = "jdk.internal.misc";
    private static final String CLASS_PATH = "ALL-UNNAMED";
    private static final String OURS = "io.verbus";

    private JvmFlags() {}

    /**
     * Checks that buffers and the C library can be used, before anything uses them.
     *
     * @throws BusException if a flag is missing; the message names the flags.
     */
    @SuppressWarnings("restricted")
    public static void check() {
        if (!Object.class.getModule().isExported(UNSAFE_PACKAGE, DirectBuffer.class.getModule())) {
            throw new BusException(
                    "this JVM does not let Agrona's buffers use "
                            + UNSAFE_PACKAGE
                            + ": start it with "
                            + needed());
        }
        if (!JvmFlags.class.getModule().isNativeAccessEnabled()) {
            try {
                MemorySegment.NULL.reinterpret(0); // the cheapest call that is restricted
            } catch (IllegalCallerException e) {
                throw new BusException(
                        "this JVM denies native access (--illegal-native-access=deny), which"
                                + " sharing memory with a media driver requires: start it with "
                                + needed(),
                        e);
            }
        }
    }

    /** Returns the flags of the command line, for the class path or for modules. */
    static String needed() {
        return "--enable-native-access="
                + ours()
                + " --add-opens=java.base/"
                + UNSAFE_PACKAGE
                + "="
                + name(DirectBuffer.class.getModule());
    }

    private static String name(Module module) {
        return module.isNamed() ? module.getName() : CLASS_PATH;
    }

    private static String ours() {
        Module module = JvmFlags.class.getModule();
        if (!module.isNamed()) {
            return CLASS_PATH;
        }
        return module.getLayer().modules().stream()
                .filter(each -> each.getPackages().stream().anyMatch(JvmFlags::isOurs))
                .map(Module::getName)
                .sorted()
                .collect(Collectors.joining(","));
    }

    private static boolean isOurs(String name) {
        return name.equals(OURS) || name.startsWith(OURS + ".");
    }
}
