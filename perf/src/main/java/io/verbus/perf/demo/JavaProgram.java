// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.perf.run.AeronJars;
import io.verbus.perf.run.ColdStart;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Class to run in a separate process, with the same JVM as this process.
 *
 * @param main name of the main class.
 * @param classPath class path.
 * @param flags flags of the JVM.
 */
public record JavaProgram(String main, String classPath, List<String> flags) {
    /** Returns a program with this process's class path and JVM flags. */
    public static JavaProgram own(String main) {
        return new JavaProgram(main, System.getProperty("java.class.path"), inherited());
    }

    /**
     * Returns a program with another class path, without JVM flags that depend on this process's
     * class path.
     */
    public static JavaProgram other(String main, String classPath) {
        List<String> flags =
                inherited().stream().filter(flag -> !ColdStart.isStartFlag(flag)).toList();
        return new JavaProgram(main, classPath, flags);
    }

    /**
     * Returns a program with all of Verbus and Aeron on its class path, and with their
     * ahead-of-time cache if the launcher has created one.
     */
    public static JavaProgram withAeron(String main) {
        JavaProgram program = other(main, AeronJars.behindOwnClassPath());
        String cache = System.getenv("VERBUS_CLUSTER_CACHE");
        if (cache == null || !Files.isReadable(Path.of(cache))) {
            return program;
        }
        List<String> flags = new ArrayList<>(program.flags());
        flags.add("-XX:AOTCache=" + cache);
        return new JavaProgram(main, program.classPath(), flags);
    }

    private static List<String> inherited() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments();
    }
}
