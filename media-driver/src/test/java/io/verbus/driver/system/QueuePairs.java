// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.StrictDevice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Counts the queue pairs of this machine, from the kernel's resource list. */
final class QueuePairs {
    private QueuePairs() {}

    /** Queue pairs of reliable connections on all devices. */
    static int count() {
        if (StrictDevice.isThere()) {
            return (int) StrictDevice.count("queue-pairs");
        }
        try {
            Process rdma =
                    new ProcessBuilder("rdma", "resource", "show", "qp")
                            .redirectErrorStream(true)
                            .start();
            String output =
                    new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (rdma.waitFor() != 0) {
                throw new AssertionError("rdma resource show qp: " + output);
            }
            return (int) output.lines().filter(line -> line.contains("type RC")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
