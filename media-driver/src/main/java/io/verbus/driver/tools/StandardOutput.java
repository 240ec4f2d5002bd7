// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Checks the standard output at the end of a command: {@link java.io.PrintStream} does not throw if
 * a write fails, so a command does not notice that its output is incomplete.
 */
final class StandardOutput {
    private static final Path FILE = Path.of("/proc/self/fd/1");
    private static final int TYPE = 0xF000;
    private static final int PIPE = 0x1000;
    private static final int SOCKET = 0xC000;

    private StandardOutput() {}

    /**
     * Flushes standard output, and reports a failed write on standard error. A pipe that its reader
     * closed, as {@code head} does, is not a failure.
     *
     * @return false if a write failed.
     */
    static boolean isComplete() {
        if (!System.out.checkError() || isPipe()) {
            return true;
        }
        System.err.println(
                "verbus: cannot write all of the standard output: check that the file system has"
                        + " room and that the output is writable");
        return false;
    }

    private static boolean isPipe() {
        try {
            int type = (int) Files.getAttribute(FILE, "unix:mode") & TYPE;
            return type == PIPE || type == SOCKET;
        } catch (IOException | UnsupportedOperationException e) {
            return false; // closed, or not Linux: nothing is known to have closed it on purpose
        }
    }
}
