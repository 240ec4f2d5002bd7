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

    /**
     * A class with all of Verbus and Aeron on its class path, and the JVM's ahead-of-time cache for
     * these, where the launcher has made one.
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
