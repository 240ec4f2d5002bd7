// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

import java.io.IOException;

/** Connection to a process, on this host or another, that exchanges lines. */
public interface Link {
    /** Sends a line to the process; does nothing if the process takes no commands. */
    default void tell(String line) {}

    /**
     * Returns the next line from the process; null once the process has ended. Passes on the
     * process's error output.
     */
    String readLine() throws IOException;

    /** Describes how the process ended, once {@link #readLine} has returned null. */
    String ending();

    /**
     * Returns the number of nanoseconds by which the process's monotonic clock is ahead of this
     * process's; 0 on the same host.
     */
    default long clockAheadNs() {
        return 0;
    }

    /** Asks the process to exit, kills it if it does not, and removes its files. */
    void end();
}
