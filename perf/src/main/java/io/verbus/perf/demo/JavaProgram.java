// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.perf.run.ColdStart;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * A class to run in a process of its own, on the JVM of this process.
 *
 * @param main class.
 * @param classPath of it.
 * @param flags of the JVM.
 */
public record JavaProgram(String main, String classPath, List<String> flags) {
    /** A class of this process's class path, with this JVM's flags. */
    public static JavaProgram own(String main) {
        return new JavaProgram(main, System.getProperty("java.class.path"), inherited());
    }

    /** A class of another class path, without the flags that fit none but this process's. */
    public static JavaProgram other(String main, String classPath) {
        List<String> flags =
                inherited().stream().filter(flag -> !ColdStart.isStartFlag(flag)).toList();
        return new JavaProgram(main, classPath, flags);
    }

    private static List<String> inherited() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments();
    }
}
