// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.perf.process.Lab;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Runs a Verbus command in the lab, passing through its output and exit status. */
final class DemoLab {
    /** Maximum time in seconds for the virtual machine to start and stop. */
    private static final int MACHINE_S = 60;

    /** Environment variable with the command that the lab suggests if it cannot run. */
    private static final String INSTEAD = "VERBUS_LAB_INSTEAD";

    private DemoLab() {}

    /**
     * Runs {@code verbus COMMAND} in the lab.
     *
     * @param timeoutS time limit of the command in seconds.
     * @param options options of the lab.
     * @param command words after {@code verbus}.
     * @return the command's exit status.
     */
    static int run(int timeoutS, List<String> options, List<String> command)
            throws DemoException, InterruptedException {
        if (Lab.isHere()) {
            throw new DemoException(
                    "this lab has no addresses of RDMA devices: run the demo through `verbus"
                            + " lab`");
        }
        String verbus = Lab.launcher();
        if (verbus == null) {
            throw new DemoException(
                    "this host has no RDMA device, and VERBUS_HOME is not set, so the lab cannot"
                            + " be found: run `./verbus demo` in a clone of the repository, or"
                            + " choose --transport udp");
        }
        System.err.println(
                "demo: this host has no RDMA device: running on software RDMA in a virtual"
                        + " machine (verbus lab)");
        try {
            Map<String, String> environment = Map.of(INSTEAD, instead(command));
            return Lab.run(timeoutS + MACHINE_S, options, command, environment);
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
}
