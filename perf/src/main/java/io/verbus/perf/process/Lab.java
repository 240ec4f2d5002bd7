// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The virtual machine with software RDMA, {@code verbus lab}. */
public final class Lab {
    private static final long EXIT_TIMEOUT_S = 10;

    private Lab() {}

    /** Returns whether this process runs in the lab. */
    public static boolean isHere() {
        return "1".equals(System.getenv("VERBUS_LAB"));
    }

    /** Returns the launcher that starts the lab; null outside a clone of the repository. */
    public static String launcher() {
        String home = System.getenv("VERBUS_HOME");
        return home == null ? null : home + "/verbus";
    }

    /**
     * Runs a Verbus command in the lab, passing through its output. The lab ends with this process.
     *
     * @param timeoutS time limit in seconds, including the start of the virtual machine.
     * @param options options of the lab.
     * @param command words after {@code verbus}.
     * @param environment environment variables to add.
     * @return the command's exit status.
     */
    public static int run(
            int timeoutS,
            List<String> options,
            List<String> command,
            Map<String, String> environment)
            throws IOException, InterruptedException {
        List<String> words =
                new ArrayList<>(List.of(launcher(), "lab", "--timeout", String.valueOf(timeoutS)));
        words.addAll(options);
        words.add(launcher());
        words.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
        builder.environment().putAll(environment);
        Process lab = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(lab), "lab-end"));
        return lab.waitFor();
    }

    private static void end(Process lab) {
        lab.destroy();
        try {
            if (!lab.waitFor(EXIT_TIMEOUT_S, TimeUnit.SECONDS)) {
                lab.destroyForcibly();
            }
        } catch (InterruptedException ex) {
            lab.destroyForcibly();
        }
    }
}
