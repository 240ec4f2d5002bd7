// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What is held of this machine, to compare: two are equal if nothing is left over.
 *
 * @param rdma queue pairs, completion queues, domains and regions of each device, as the kernel
 *     counts them.
 * @param descriptors that this process has open.
 * @param logs files of logs in the directories of drivers.
 */
record Resources(String rdma, long descriptors, long logs) {
    /** Counts. */
    static Resources now(Path... directories) {
        long logs = 0;
        for (Path directory : directories) {
            logs += count(directory.toFile(), ".logbuffer");
        }
        return new Resources(rdmaResources(), count(new File("/proc/self/fd"), ""), logs);
    }

    /** Names only: their targets may disappear at any time. */
    private static long count(File folder, String suffix) {
        String[] names = folder.list();
        long count = 0;
        for (int i = 0; names != null && i < names.length; i++) {
            count += names[i].endsWith(suffix) ? 1 : 0;
            count += suffix.isEmpty() ? 0 : count(new File(folder, names[i]), suffix);
        }
        return count;
    }

    private static String rdmaResources() {
        try {
            Process rdma = new ProcessBuilder("rdma", "resource").redirectErrorStream(true).start();
            String output =
                    new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (rdma.waitFor() != 0) {
                throw new AssertionError("rdma resource: " + output);
            }
            return output.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
