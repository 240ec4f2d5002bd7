// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.process.Lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs a command of this program in the lab, and copies the files it writes to this host. */
final class LabRun {
    private static final int TIMEOUT_S = 3000;

    private LabRun() {}

    /**
     * Runs a command in the lab, passing through its output and exit status.
     *
     * @param arguments arguments of {@code verbus}, without the options in {@code outputs}.
     * @param outputs files to write on this host, by the option that names each.
     * @return the command's exit status.
     */
    static int run(List<String> arguments, Map<String, Path> outputs) {
        if (Lab.launcher() == null || Lab.isHere()) {
            throw new BusException(
                    "this host has no RDMA device: run `./verbus perf` in a clone of the"
                            + " repository, which uses the lab");
        }
        System.err.println(
                "This host has no RDMA device: running on software RDMA in a virtual machine"
                        + " (verbus lab).");
        try {
            Path folder = Files.createTempDirectory("verbus-perf");
            try {
                return run(folder, arguments, outputs);
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

    private static int run(Path folder, List<String> arguments, Map<String, Path> outputs)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(arguments);
        outputs.forEach((option, file) -> command.add(option + "=" + written(folder, option)));
        List<String> options = List.of("--out", folder.toString());
        int status = Lab.run(TIMEOUT_S, options, command, Map.of());
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

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
