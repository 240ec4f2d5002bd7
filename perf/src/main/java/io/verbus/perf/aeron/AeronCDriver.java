// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.CommonContext;
import io.verbus.perf.load.LocalDriver;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Child process that runs Aeron's C driver, with the settings that {@link AeronStack} gives to the
 * Java driver.
 */
public final class AeronCDriver {
    /** System property: path of {@code aeronmd}. */
    public static final String PROGRAM_PROPERTY = "verbus.perf.aeronmd";

    private static final long START_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long END_TIMEOUT_S = 10;
    private static final long POLL_MS = 5;
    private static final String SLEEP = "1ms";

    private final Process process;

    private AeronCDriver(Process process) {
        this.process = process;
    }

    /** Starts the program for the given work, and waits until it serves clients. */
    public static LocalDriver launch(Work work, String directory) {
        String program = System.getProperty(PROGRAM_PROPERTY);
        String version = version(program);
        ProcessBuilder builder = new ProcessBuilder(program);
        builder.environment().keySet().removeIf(name -> name.startsWith("AERON_"));
        configure(builder.environment(), work, directory);
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        try {
            AeronCDriver driver = new AeronCDriver(builder.start());
            Runtime.getRuntime().addShutdownHook(new Thread(driver::end, "aeronmd-end"));
            driver.awaitStart(program, new File(directory));
            return new LocalDriver(version, null, driver::end);
        } catch (IOException ex) {
            throw cannotRun(program, ex);
        }
    }

    private static void configure(Map<String, String> environment, Work work, String directory) {
        environment.put("AERON_DIR", directory);
        environment.put("AERON_DIR_DELETE_ON_SHUTDOWN", "true");
        environment.put("AERON_THREADING_MODE", work.threading().name());
        for (String agent :
                new String[] {"CONDUCTOR", "SENDER", "RECEIVER", "SHAREDNETWORK", "SHARED"}) {
            String name = "AERON_" + agent + "_IDLE_STRATEGY";
            environment.put(name, idle(work.driverIdle()));
            if (work.driverIdle() == Work.Idle.SLEEP) {
                environment.put(name + "_INIT_ARGS", SLEEP);
            }
        }
        environment.put("AERON_CLIENT_LIVENESS_TIMEOUT", ns(Stack.LIVENESS_TIMEOUT_NS));
        environment.put("AERON_PUBLICATION_UNBLOCK_TIMEOUT", ns(2 * Stack.LIVENESS_TIMEOUT_NS));
        environment.put("AERON_MTU_LENGTH", Integer.toString(work.mtu()));
        environment.put("AERON_IPC_MTU_LENGTH", Integer.toString(work.mtu()));
        environment.put("AERON_TERM_BUFFER_LENGTH", Integer.toString(work.termLength()));
        environment.put("AERON_IPC_TERM_BUFFER_LENGTH", Integer.toString(work.termLength()));
        environment.put("AERON_TERM_BUFFER_SPARSE_FILE", "false");
        environment.put("AERON_PERFORM_STORAGE_CHECKS", "false");
    }

    /**
     * Returns the program's name for an idle strategy; its backoff strategy has the same default
     * periods.
     */
    private static String idle(Work.Idle idle) {
        return switch (idle) {
            case BUSY_SPIN -> "spin";
            case NOOP -> "noop";
            case YIELD -> "yield";
            case BACKOFF -> "backoff";
            case SLEEP -> "sleeping";
            case AGRONA ->
                    throw new IllegalArgumentException(
                            "drivers cannot use the idle" + " strategy agrona");
        };
    }

    private static String ns(long time) {
        return time + "ns";
    }

    private void awaitStart(String program, File directory) {
        long deadline = System.nanoTime() + START_TIMEOUT_NS;
        while (!CommonContext.isDriverActive(
                directory, TimeUnit.NANOSECONDS.toMillis(START_TIMEOUT_NS), line -> {})) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                boolean isAlive = process.isAlive();
                end();
                throw new IllegalStateException(
                        program
                                + (isAlive
                                        ? " did not start a driver"
                                        : " ended with status " + process.exitValue())
                                + " in "
                                + directory
                                + ": see its output above, and use the aeronmd of Aeron 1.51");
            }
            sleep();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(POLL_MS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while aeronmd started", ex);
        }
    }

    /** Returns the program's own version string, such as {@code aeron version=1.51.0 commit=…}. */
    private static String version(String program) {
        try {
            Process asked = new ProcessBuilder(program, "-v").redirectErrorStream(true).start();
            String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String[] words = said.lines().findFirst().orElse("").split("[<>]");
            return words.length > 1 ? "aeronmd, " + words[1] : "aeronmd";
        } catch (IOException ex) {
            throw cannotRun(program, ex);
        }
    }

    private static IllegalStateException cannotRun(String program, IOException ex) {
        return new IllegalStateException(
                "cannot run " + program + " (" + ex.getMessage() + "): choose another --aeronmd",
                ex);
    }

    private void end() {
        process.destroy();
        try {
            if (!process.waitFor(END_TIMEOUT_S, TimeUnit.SECONDS)) {
                System.err.println("aeronmd did not exit and will be killed");
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException ex) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
