// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Multicast, in a network namespace whose only interface is its loopback device. */
@Timeout(180)
class UdpMulticastTest {
    private static final String NETWORK =
            "ip link set lo up && ip link set lo multicast on"
                    + " && ip route add 224.0.0.0/4 dev lo && ";

    @Test
    void deliversEveryMessageToEachGroupMember() throws Exception {
        assumeNetwork();
        assertEquals(0, runGroups(List.of(), 150), "the program's words are above");
    }

    @Test
    void manualSubscriptionsReceiveOnlyTheirGroups() throws Exception {
        assumeNetwork();
        assertEquals(
                0,
                run(MulticastDestinations.class, List.of(), 150),
                "the program's words are above");
    }

    private static void assumeNetwork() throws InterruptedException {
        Assumptions.assumeTrue(
                run(List.of("unshare", "-rn", "sh", "-c", NETWORK + "true"), 20) == 0,
                "no network namespace can be made here (unshare or ip is missing, or forbidden):"
                        + " the lab runs this too, in the stage soak");
    }

    /** Runs {@link MulticastGroups} in a network namespace; its exit status. */
    static int runGroups(List<String> jvmOptions, int seconds) throws InterruptedException {
        return run(MulticastGroups.class, jvmOptions, seconds);
    }

    /** Runs a program in a network namespace; its exit status. */
    private static int run(Class<?> program, List<String> jvmOptions, int seconds)
            throws InterruptedException {
        List<String> command = new ArrayList<>();
        command.addAll(List.of("unshare", "-rn", "sh", "-c", NETWORK + "exec \"$@\"", "sh"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(program.getName());
        return run(command, seconds);
    }

    private static int run(List<String> command, int seconds) throws InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException absent) {
            return -1;
        }
        try {
            Thread reader =
                    Thread.ofVirtual()
                            .start(
                                    () ->
                                            process.inputReader(StandardCharsets.UTF_8)
                                                    .lines()
                                                    .forEach(System.out::println));
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                return -2;
            }
            reader.join();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }
}
