// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Part of a contender in one process: its driver, its client, and the ends that it creates. */
public interface Stack extends AutoCloseable {
    /** Liveness timeout of driver and client; long, because emulated machines are slow. */
    long LIVENESS_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    /** Time within which the ends must connect. */
    long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    /** Time without progress of a stream after which the run fails. */
    long SILENCE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    /** Returns the name and version of the contender. */
    String version();

    /** Creates the sending end. Calls the handler from within {@link Initiator#poll}. */
    Initiator initiator(ReplyHandler handler);

    /** Creates the reflecting end. */
    Reflector reflector();

    /**
     * Creates the sending ends of a stream, one per publisher of the load.
     *
     * @throws UnsupportedOperationException if streams are not supported.
     */
    List<? extends Source> sources();

    /**
     * Creates the receiving end of a stream.
     *
     * @param arrivals counters of received messages, one per subscription.
     * @throws UnsupportedOperationException if streams are not supported.
     */
    Sink sink(Arrivals[] arrivals);

    /**
     * Creates the end whose streams are recorded by the archive that {@link #reflector} launched.
     *
     * @throws UnsupportedOperationException if the contender has no archive.
     */
    default Recorder recorder() {
        throw new UnsupportedOperationException("this contender has no archive");
    }

    /**
     * Returns a sentence that says what may keep the streams from connecting, or an empty string.
     */
    default String trouble() {
        return "";
    }

    /** Creates the exception for ends that did not connect. */
    static IllegalStateException unconnected(Stack stack) {
        return new IllegalStateException(
                "the two ends did not connect within "
                        + TimeUnit.NANOSECONDS.toSeconds(CONNECT_TIMEOUT_NS)
                        + " s; check that the addresses can reach each other "
                        + stack.trouble());
    }

    @Override
    void close();
}
