// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Program to run in a separate process, with the same JVM as this process.
 *
 * @param main name of the main class, and its first arguments.
 * @param classPath class path.
 * @param flags flags of the JVM.
 */
public record JavaProgram(List<String> main, String classPath, List<String> flags) {
    /** Returns a program with this process's class path and JVM flags. */
    public static JavaProgram own(ChildProgram program) {
        return new JavaProgram(words(program), ownClassPath(), inherited());
    }

    /** Returns a main class with this process's class path and JVM flags. */
    public static JavaProgram own(Class<?> main) {
        return new JavaProgram(List.of(main.getName()), ownClassPath(), inherited());
    }

    /**
     * Returns a program with another class path, without JVM flags that depend on this process's
     * class path.
     */
    public static JavaProgram other(ChildProgram program, String classPath) {
        return new JavaProgram(words(program), classPath, portableFlags());
    }

    /**
     * Returns a program with all of Verbus and Aeron on its class path, and with their
     * ahead-of-time cache if the launcher has created one.
     */
    public static JavaProgram withAeron(ChildProgram program) {
        JavaProgram other = other(program, AeronJars.behindOwnClassPath());
        String cache = System.getenv("VERBUS_CLUSTER_CACHE");
        return cache == null || !Files.isReadable(Path.of(cache))
                ? other
                : other.with(List.of("-XX:AOTCache=" + cache));
    }

    /** Returns this program with additional flags of the JVM. */
    public JavaProgram with(List<String> more) {
        return new JavaProgram(
                main, classPath, Stream.concat(flags.stream(), more.stream()).toList());
    }

    /** Returns this process's class path. */
    public static String ownClassPath() {
        return System.getProperty("java.class.path");
    }

    /** Returns this process's JVM flags, except those for which {@link #isStartFlag} is true. */
    public static List<String> portableFlags() {
        return inherited().stream().filter(flag -> !isStartFlag(flag)).toList();
    }

    /**
     * Returns the start-up flags that the launcher has passed to this process, which concern the
     * ahead-of-time cache, profiles and early compilation. They depend on the class path.
     */
    public static List<String> startFlags() {
        return inherited().stream().filter(JavaProgram::isStartFlag).toList();
    }

    private static boolean isStartFlag(String flag) {
        return flag.startsWith("-XX:AOT") || flag.startsWith("-XX:CompileCommandFile=");
    }

    /** Returns this process's JVM flags, except agents, which may own a port or a file. */
    private static List<String> inherited() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> !flag.startsWith("-agentlib") && !flag.startsWith("-javaagent"))
                .toList();
    }

    private static List<String> words(ChildProgram program) {
        return List.of(
                ChildMain.class.getName(), program.getDeclaringClass().getName(), program.name());
    }

    /** Returns the command line. */
    public List<String> command(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath));
        command.addAll(main);
        command.addAll(arguments);
        return command;
    }
}
