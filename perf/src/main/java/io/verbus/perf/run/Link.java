// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import java.io.IOException;

/** A process that takes and says lines, on this host or on another. */
interface Link {
    /** Tells it a line. */
    void tell(String line);

    /** The next line that it says; null once it has ended. What it says of errors is printed. */
    String readLine() throws IOException;

    /** How it has ended, in words, once {@link #readLine} has given null. */
    String ending() throws InterruptedException;

    /** By how much its monotonic clock is ahead of this process's, nanoseconds. */
    long clockAheadNs();

    /** Lets it end by itself, and makes sure that it has, and that nothing of it is left. */
    void end();
}
