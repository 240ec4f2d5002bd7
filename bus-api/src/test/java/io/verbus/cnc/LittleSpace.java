// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import io.verbus.BusException;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs a program in a process of its own, which may write only short files. */
public final class LittleSpace {
    private static final String REPORT = "refused: ";

    private LittleSpace() {}

    /** Message with which a program is refused that may write files of 64 KiB at most. */
    public static String messageOf(Class<?> program, Path file)
            throws IOException, InterruptedException {
        String output = run("ulimit -f 64", program, file);
        int at = output.indexOf(REPORT);
        return at < 0 ? output : output.substring(at + REPORT.length()).trim();
    }

    /**
     * Runs a program which finds a tmpfs of 64 KiB mounted where its file is to be; returns what it
     * wrote.
     */
    public static String onFullFileSystem(Class<?> program, Path file)
            throws IOException, InterruptedException {
        String mount = "mount -t tmpfs -o size=64k none '" + file.getParent() + "'";
        Process probe = new ProcessBuilder("unshare", "-rm", "true").start();
        Assumptions.assumeTrue(
                probe.waitFor() == 0, "no mount namespace can be made here: unshare fails");
        return run(
                "exec unshare -rm bash -c \"" + mount + " && exec \\\"\\$@\\\"\" bash \"$@\"",
                program,
                file);
    }

    /** Runs a program after a shell command; returns what both wrote. */
    public static String run(String before, Class<?> program, Path file)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                "bash",
                                "-c",
                                before + " && ulimit -c 0 && exec \"$@\"",
                                "bash",
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:-UsePerfData",
                                "-XX:ErrorFile=/dev/null",
                                "-Xshare:auto",
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName(),
                                file.toString())
                        .redirectErrorStream(true)
                        .start();
        try {
            process.getOutputStream().close();
            byte[] output = process.getInputStream().readAllBytes();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                throw new IOException(program + " does not end");
            }
            return new String(output, StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Writes, in the program, the message with which it is refused. */
    public static void report(Runnable creation) {
        try {
            creation.run();
            System.out.println("not refused");
        } catch (BusException e) {
            System.out.println(REPORT + e.getMessage());
        }
    }
}
