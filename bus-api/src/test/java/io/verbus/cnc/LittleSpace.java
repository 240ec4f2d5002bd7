// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import io.verbus.BusException;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs a program in its own process, which may only write short files. */
public final class LittleSpace {
    private static final String REPORT = "refused: ";

    private LittleSpace() {}

    /**
     * Runs a program that may write files of at most 64 KiB; returns the message with which it
     * fails.
     */
    public static String messageOf(Class<?> program, Path file)
            throws IOException, InterruptedException {
        String output = run("ulimit -f 64", program, file);
        int at = output.indexOf(REPORT);
        return at < 0 ? output : output.substring(at + REPORT.length()).trim();
    }

    /**
     * Runs a program with a full tmpfs of 64 KiB mounted where its file will be; returns its
     * output.
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

    /** Runs a program after a shell command; returns the output of both. */
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

    /** Prints, in the program, the message with which the creation fails. */
    public static void report(Runnable creation) {
        try {
            creation.run();
            System.out.println("not refused");
        } catch (BusException e) {
            System.out.println(REPORT + e.getMessage());
        }
    }
}
