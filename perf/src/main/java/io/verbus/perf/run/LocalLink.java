// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Connection to a {@link Worker} in a JVM on this host. */
final class LocalLink implements Link {
    private static final long EXIT_TIMEOUT_S = 15;

    private final String name;
    private final Path directory;
    private final boolean hasDriver;
    private final Process process;
    private final PrintStream orders;
    private final BufferedReader lines;

    /**
     * Starts the worker.
     *
     * @param tracer command that runs the JVM; empty for none.
     * @param flags JVM flags, apart from the class path.
     * @param directory directory of the driver; deleted with the process that runs the driver.
     * @param errors destination of the standard error.
     */
    LocalLink(
            BusUnderTest bus,
            Role role,
            Work work,
            List<String> tracer,
            List<String> flags,
            Path directory,
            ProcessBuilder.Redirect errors) {
        name = bus + " " + role;
        this.directory = directory;
        hasDriver = work.hasDriver(role);
        List<String> command = new ArrayList<>(tracer);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.add("-cp");
        command.add(bus.classPath());
        command.add(bus.worker());
        command.add(role.name());
        command.add(directory.toString());
        command.addAll(work.toArguments());
        try {
            process = new ProcessBuilder(command).redirectError(errors).start();
        } catch (IOException ex) {
            throw new BusException(
                    "cannot start a JVM for " + name + " (" + ex + "): check the JDK and limits",
                    ex);
        }
        orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        lines = process.inputReader();
    }

    /** Returns the process's standard error, unless it is redirected. */
    BufferedReader errors() {
        return process.errorReader();
    }

    @Override
    public void tell(String line) {
        orders.println(line);
    }

    @Override
    public String readLine() throws IOException {
        return lines.readLine();
    }

    @Override
    public String ending() throws InterruptedException {
        return "ended with status " + process.waitFor();
    }

    @Override
    public long clockAheadNs() {
        return 0; // processes on the same host share the clock
    }

    @Override
    public synchronized void end() {
        try {
            orders.close();
            if (!process.waitFor(EXIT_TIMEOUT_S, TimeUnit.SECONDS)) {
                System.err.println(name + " did not exit and will be killed");
                process.destroyForcibly().waitFor();
            }
            delete(Worker.files(directory));
            if (hasDriver) {
                delete(directory);
            }
        } catch (IOException ex) {
            System.err.println("cannot clean up after " + name + ": " + ex);
        } catch (InterruptedException ex) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
