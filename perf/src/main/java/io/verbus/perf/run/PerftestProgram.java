// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.perf.load.CpuBinding;
import io.verbus.perf.load.Work;
import io.verbus.perf.process.Link;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Runs both ends of a perftest program between the addresses in the given work. */
final class PerftestProgram {
    private static final int TIMEOUT_S = 300;
    private static final int LISTEN_TIMEOUT_S = 20;
    private static final String LISTENING = " 0A ";

    /**
     * Disables relaxed PCIe ordering, which newer versions of perftest request by default and
     * Verbus cannot use: with it, perftest would be measured on a different path to memory.
     */
    private static final String STRICT_ORDER = "--disable_pcie_relaxed";

    private final String name;
    private final Work work;
    private final int length;

    /** {@link #STRICT_ORDER} if the program has that option; null until this is known. */
    private List<String> order;

    /**
     * @param name name of the program.
     * @param work work with addresses and port.
     * @param length message length in bytes.
     */
    PerftestProgram(String name, Work work, int length) {
        this.name = name;
        this.work = work;
        this.length = length;
    }

    /** Returns the program's name and version, and its option for the order of PCIe writes. */
    String version() {
        try {
            String text = ask("--version");
            String order = order().isEmpty() ? "" : " " + STRICT_ORDER;
            return name + " " + text.lines().findFirst().orElse("").strip() + order;
        } catch (IOException ex) {
            throw absent(ex);
        } catch (InterruptedException ex) {
            throw interrupted(ex);
        }
    }

    private List<String> order() throws IOException, InterruptedException {
        if (order == null) {
            order = ask("--help").contains(STRICT_ORDER) ? List.of(STRICT_ORDER) : List.of();
        }
        return order;
    }

    private String ask(String option) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(name, option).redirectErrorStream(true).start();
        String text = text(process);
        process.waitFor();
        return text;
    }

    /**
     * Runs the program once.
     *
     * @param iterations number of iterations.
     * @param options additional options of both ends.
     * @return the output of the sending end.
     * @throws BusException if the program fails; the message contains its output.
     */
    String run(long iterations, List<String> options) {
        Process client = null;
        Link server = null;
        try {
            server =
                    work.server().isEmpty()
                            ? serve(iterations, options)
                            : new RemoteLink(
                                    work.server(),
                                    work.initiator(),
                                    work.reflector(),
                                    PerfServer.perftest(name, length, iterations, options, work));
            if (!PerfServer.READY.equals(server.readLine())) {
                throw new BusException(name + " " + server.ending());
            }
            client =
                    start(
                            PerftestPort.of(work.initiator()),
                            work.cpu(0),
                            iterations,
                            options,
                            work.reflector());
            String text = text(client);
            if (!client.waitFor(TIMEOUT_S, TimeUnit.SECONDS) || client.exitValue() != 0) {
                throw new BusException(name + " failed: " + text.strip());
            }
            if (server.readLine() != null) {
                throw new BusException(name + " printed unexpected output at its listening end");
            }
            return text;
        } catch (IOException ex) {
            throw absent(ex);
        } catch (InterruptedException ex) {
            throw interrupted(ex);
        } finally {
            if (client != null) {
                client.destroyForcibly();
            }
            if (server != null) {
                server.end();
            }
        }
    }

    /**
     * Starts the listening end, and waits until it listens.
     *
     * @param iterations number of iterations of the other end.
     * @param options additional options of both ends.
     */
    Link serve(long iterations, List<String> options) throws IOException, InterruptedException {
        Process server =
                start(PerftestPort.of(work.reflector()), work.cpu(1), iterations, options, "");
        try {
            awaitListening(server);
        } catch (BusException | IOException | InterruptedException ex) {
            server.destroyForcibly();
            throw ex;
        }
        return new PerftestLink(server, TIMEOUT_S);
    }

    private Process start(
            PerftestPort port, int cpu, long iterations, List<String> options, String server)
            throws IOException, InterruptedException {
        List<String> command = command(port, cpu, iterations, options);
        ProcessBuilder builder = new ProcessBuilder(command);
        if (server.isEmpty()) {
            return builder.redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        }
        command.add(server);
        return builder.redirectErrorStream(true).start();
    }

    /**
     * Returns the command of one end, without the server's address, which the initiator appends.
     */
    List<String> command(PerftestPort port, int cpu, long iterations, List<String> options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(CpuBinding.command(cpu));
        command.addAll(List.of(name, "-F", "-d", port.device()));
        command.addAll(List.of("-x", Integer.toString(port.gidIndex())));
        command.addAll(List.of("-p", Integer.toString(work.port())));
        command.addAll(List.of("-s", Integer.toString(length), "-n", Long.toString(iterations)));
        command.addAll(order());
        command.addAll(options);
        return command;
    }

    /**
     * Waits until the program listens on its TCP port, because the connecting end does not retry.
     */
    private void awaitListening(Process server) throws IOException, InterruptedException {
        String port = String.format(Locale.ROOT, ":%04X ", work.port());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LISTEN_TIMEOUT_S);
        while (!isListening(Path.of("/proc/net/tcp"), port)
                && !isListening(Path.of("/proc/net/tcp6"), port)) {
            if (!server.isAlive() || System.nanoTime() - deadline > 0) {
                throw new BusException(
                        name
                                + " is not listening on port "
                                + work.port()
                                + ": check its output above, or choose another --port");
            }
            Thread.sleep(1);
        }
    }

    private static boolean isListening(Path sockets, String port) throws IOException {
        return Files.exists(sockets)
                && Files.readString(sockets)
                        .lines()
                        .anyMatch(line -> line.contains(port) && line.contains(LISTENING));
    }

    private static String text(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private BusException absent(IOException ex) {
        return new BusException(
                "cannot run "
                        + name
                        + " ("
                        + ex.getMessage()
                        + "): install the package perftest, and util-linux if --affinity is used",
                ex);
    }

    private BusException interrupted(InterruptedException ex) {
        Thread.currentThread().interrupt();
        return new BusException("interrupted while " + name + " ran", ex);
    }
}
