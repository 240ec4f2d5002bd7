// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.ConnectionOptions;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A child process: a peer to kill, or one with a low limit of locked memory. */
final class LabChild {
    private static final long LIFE_S = 60;

    private LabChild() {}

    /** Starts a child through a wrapper command. */
    static Process start(List<String> wrapper, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED"); // Agrona's
        command.add("-XX:TieredStopAtLevel=1"); // see "Limits" in docs/lab.md
        command.add("-Xmx64m");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(LabChild.class.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    static Process start(String... arguments) throws IOException {
        return start(List.of(), arguments);
    }

    public static void main(String[] arguments) {
        switch (arguments[0]) {
            case "connect" ->
                    connect(
                            new InetSocketAddress(arguments[1], 0),
                            new InetSocketAddress(arguments[2], Integer.parseInt(arguments[3])));
            case "register" ->
                    register(new InetSocketAddress(arguments[1], 0), Long.parseLong(arguments[2]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Connects and runs until it is killed. */
    private static void connect(InetSocketAddress local, InetSocketAddress remote) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIFE_S);
        try (VerbsFabric fabric = VerbsFabric.open(VerbsException::rethrowUnlessWarning)) {
            fabric.connect(remote, local, ConnectionOptions.DEFAULT, null, new byte[0]);
            Lab.Recorder events = new Lab.Recorder();
            while (System.nanoTime() - deadlineNs < 0 && events.ended.isEmpty()) {
                fabric.poll(events, System.nanoTime());
                LockSupport.parkNanos(100_000);
            }
        }
    }

    /** Registers memory on the device of an address and prints the result. */
    private static void register(InetSocketAddress local, long length) {
        try (Arena arena = Arena.ofConfined();
                VerbsFabric fabric = VerbsFabric.open(VerbsException::rethrowUnlessWarning)) {
            Lab.Recorder events = new Lab.Recorder();
            var listener = fabric.listen(local, ConnectionOptions.DEFAULT);
            Await.until(
                    "a result",
                    () -> listener.opened().isDone(),
                    () -> fabric.poll(events, System.nanoTime()));
            if (listener.refusal() != null) {
                throw listener.refusal();
            }
            fabric.connect(
                    listener.localAddress(), null, ConnectionOptions.DEFAULT, null, new byte[0]);
            Await.until(
                    "a connect request",
                    () -> !events.requests.isEmpty(),
                    () -> fabric.poll(events, System.nanoTime()));
            events.requests.getFirst().accept(new byte[0]);
            Await.until(
                    "both ends established",
                    () -> events.established.size() == 2,
                    () -> fabric.poll(events, System.nanoTime()));
            events.requests
                    .getFirst()
                    .domain()
                    .register(arena.allocate(length, 4096).address(), length, Access.LOCAL_READ);
            System.out.println("registered");
        } catch (VerbsException refused) {
            System.out.println(refused.getMessage());
        }
    }
}
