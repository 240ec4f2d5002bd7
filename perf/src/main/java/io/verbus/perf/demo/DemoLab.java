// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a Verbus command in the lab, passing through its output and exit status. */
public final class DemoLab {
    /** Maximum time in seconds for the virtual machine to start and stop. */
    private static final int MACHINE_S = 60;

    /** Environment variable with the command that the lab suggests if it cannot run. */
    private static final String INSTEAD = "VERBUS_LAB_INSTEAD";

    private static final long ENDING_S = 10;

    private DemoLab() {}

    /** Returns whether this process runs in the lab. */
    public static boolean isHere() {
        return "1".equals(System.getenv("VERBUS_LAB"));
    }

    /**
     * Runs {@code verbus COMMAND} in the lab.
     *
     * @param timeoutS time limit of the command in seconds.
     * @param options options of the lab.
     * @param command words after {@code verbus}.
     * @return the command's exit status.
     */
    public static int run(int timeoutS, List<String> options, List<String> command)
            throws DemoException, InterruptedException {
        if (isHere()) {
            throw new DemoException(
                    "this is the lab, but it has no addresses of RDMA devices: run it through"
                            + " `verbus lab`");
        }
        String home = System.getenv("VERBUS_HOME");
        if (home == null) {
            throw new DemoException(
                    "this host has no RDMA device, and VERBUS_HOME is not set, so the lab cannot"
                            + " be found: run `./verbus demo` in a clone of the repository, or"
                            + " try --transport ipc, or udp");
        }
        System.err.println(
                "demo: this host has no RDMA device: running on software RDMA in a virtual"
                        + " machine (verbus lab)");
        String verbus = home + "/verbus";
        List<String> words = new ArrayList<>();
        words.addAll(List.of(verbus, "lab", "--timeout", Integer.toString(timeoutS + MACHINE_S)));
        words.addAll(options);
        words.add(verbus);
        words.addAll(command);
        try {
            ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
            builder.environment().put(INSTEAD, instead(command));
            Process lab = builder.start();
            Thread hook = new Thread(() -> end(lab), "lab-end");
            Runtime.getRuntime().addShutdownHook(hook);
            return lab.waitFor();
        } catch (IOException e) {
            throw new DemoException(
                    "cannot run " + verbus + " (" + e.getMessage() + "): check VERBUS_HOME", e);
        }
    }

    /** Returns a command that runs the demo without RDMA; empty if there is none. */
    private static String instead(List<String> command) {
        return switch (command.size() > 1 ? command.get(1) : "") {
            case "archive", "cluster" -> "./verbus demo " + command.get(1) + " --transport udp";
            case "rails" -> "";
            default -> "./verbus demo --transport ipc";
        };
    }

    private static void end(Process lab) {
        try {
            lab.destroy();
            if (!lab.waitFor(ENDING_S, TimeUnit.SECONDS)) {
                lab.destroyForcibly();
            }
        } catch (InterruptedException e) {
            lab.destroyForcibly();
        }
    }
}
