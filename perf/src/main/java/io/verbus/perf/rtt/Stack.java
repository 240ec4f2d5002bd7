// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.rtt;

import java.util.concurrent.TimeUnit;

/** A bus set up for one process: its driver, its client, and the ends that it is asked for. */
public interface Stack extends AutoCloseable {
    /** After which driver and client give each other up: emulated machines take their time. */
    long LIVENESS_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    /** Name and version of the bus. */
    String version();

    /**
     * Makes the end that sends. Its echoes go to the handler from within {@link Initiator#poll}.
     */
    Initiator initiator(ReplyHandler handler);

    /** Makes the end that sends back. */
    Reflector reflector();

    /** What keeps its streams from connecting, as far as it knows: one sentence, or nothing. */
    default String trouble() {
        return "";
    }

    @Override
    void close();
}
