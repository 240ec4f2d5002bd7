// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.report.Environment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs a command of this program in the lab, and copies the files it writes to this host. */
final class Lab {
    private static final int TIMEOUT_S = 3000;
    private static final int END_TIMEOUT_S = 10;

    private Lab() {}

    /**
     * Runs a command in the lab, passing through its output and exit status.
     *
     * @param arguments arguments of {@code verbus}, without the options in {@code outputs}.
     * @param outputs files to write on this host, by the option that names each.
     * @return the command's exit status.
     */
    static int run(List<String> arguments, Map<String, Path> outputs) {
        String home = System.getenv("VERBUS_HOME");
        if (home == null || Environment.isLab()) {
            throw new BusException(
                    "this host has no RDMA device: run `./verbus perf` in the repository, which"
                            + " uses the lab");
        }
        System.err.println(
                "This host has no RDMA device: running on software RDMA in a virtual machine"
                        + " (verbus lab).");
        try {
            Path folder = Files.createTempDirectory("verbus-perf");
            try {
                return run(Path.of(home, "verbus").toString(), folder, arguments, outputs);
            } finally {
                delete(folder);
            }
        } catch (IOException ex) {
            throw new BusException("cannot run the lab: " + ex, ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new BusException("interrupted while the lab was running", ex);
        }
    }

    private static int run(
            String verbus, Path folder, List<String> arguments, Map<String, Path> outputs)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.addAll(List.of(verbus, "lab", "--timeout", Integer.toString(TIMEOUT_S)));
        command.addAll(List.of("--out", folder.toString(), verbus));
        command.addAll(arguments);
        outputs.forEach((option, file) -> command.add(option + "=" + written(folder, option)));
        Process lab = new ProcessBuilder(command).inheritIO().start();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> end(lab)));
        int status = lab.waitFor();
        for (Map.Entry<String, Path> output : outputs.entrySet()) {
            Path file = written(folder, output.getKey());
            if (Files.exists(file)) {
                Files.copy(file, output.getValue(), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        return status;
    }

    private static Path written(Path folder, String option) {
        return folder.resolve(option.substring(2));
    }

    private static void end(Process lab) {
        lab.destroy();
        try {
            if (!lab.waitFor(END_TIMEOUT_S, TimeUnit.SECONDS)) {
                lab.destroyForcibly();
            }
        } catch (InterruptedException ex) {
            lab.destroyForcibly();
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
