// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Hosts of this machine whose addresses and names a test changes as it likes: each is a network
 * namespace with a hosts file that all of them share. Processes run on a host through {@link
 * #command}. They share memory and files with the test, so that a bus of the test connects to their
 * drivers.
 *
 * <pre>
 *   test ── shared memory ──▶ driver on host a ── veth pair ── driver on host b
 * </pre>
 */
final class VirtualHosts implements AutoCloseable {
    private static final String HOLD =
            "{ mkdir -p /run/netns 2>&- && mount -t tmpfs tmpfs /run/netns; }"
                    + " || mount -t tmpfs tmpfs /run;"
                    + " mount --bind \"$1\" /etc/hosts && echo ready && exec cat";
    private static final int SECONDS = 30;

    private final Path hostsFile;
    private final Process holder;
    private final Map<String, String> names = new TreeMap<>();

    private VirtualHosts(Path hostsFile, Process holder) {
        this.hostsFile = hostsFile;
        this.holder = holder;
    }

    /**
     * Makes hosts, each with a loopback device only.
     *
     * @param folder for the hosts file.
     * @param hosts their names.
     * @throws IOException where this machine lets the user make none; the message says why.
     */
    static VirtualHosts make(Path folder, String... hosts) throws IOException {
        Path hostsFile = Files.writeString(folder.resolve("hosts"), "127.0.0.1 localhost\n");
        Process holder =
                new ProcessBuilder("unshare", "-rnm", "sh", "-c", HOLD, "sh", hostsFile.toString())
                        .redirectErrorStream(true)
                        .start();
        String answer = holder.inputReader(StandardCharsets.UTF_8).readLine();
        if (!"ready".equals(answer)) {
            holder.destroyForcibly();
            throw new IOException(
                    "no namespace of networks and mounts can be made here ("
                            + answer
                            + "): run the tests as root, or allow user namespaces");
        }
        VirtualHosts made = new VirtualHosts(hostsFile, holder);
        for (String host : hosts) {
            made.run("ip netns add " + host);
            made.ip(host, "link set lo up");
        }
        return made;
    }

    /** Connects two hosts by a cable, whose ends are up and have no addresses. */
    void connect(String host, String device, String otherHost, String otherDevice) {
        run(
                "ip link add "
                        + device
                        + " netns "
                        + host
                        + " type veth peer name "
                        + otherDevice
                        + " netns "
                        + otherHost);
        ip(host, "link set " + device + " up");
        ip(otherHost, "link set " + otherDevice + " up");
    }

    /** Runs {@code ip} on a host, with arguments apart by a space. */
    void ip(String host, String arguments) {
        run("ip -n " + host + " " + arguments);
    }

    /** Sets the addresses of a name; without addresses it is unknown. */
    void name(String name, String... addresses) {
        StringBuilder lines = new StringBuilder();
        for (String address : addresses) {
            lines.append(address).append(' ').append(name).append('\n');
        }
        names.put(name, lines.toString());
        try { // in place, since the file is mounted
            Files.writeString(hostsFile, "127.0.0.1 localhost\n" + String.join("", names.values()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Prefix of a command that runs on a host. */
    List<String> command(String host) {
        List<String> command = new ArrayList<>(enter());
        command.addAll(List.of("ip", "netns", "exec", host));
        return command;
    }

    private List<String> enter() {
        return List.of(
                "nsenter", "-t", "" + holder.pid(), "-U", "--preserve-credentials", "-n", "-m");
    }

    /** Runs a command whose words are apart by a space. */
    private void run(String command) {
        List<String> all = new ArrayList<>(enter());
        all.addAll(List.of(command.split(" ")));
        try {
            Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError(command + " failed: " + output);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Removes all hosts. Processes on them must have ended. */
    @Override
    public void close() {
        holder.destroyForcibly();
    }
}
