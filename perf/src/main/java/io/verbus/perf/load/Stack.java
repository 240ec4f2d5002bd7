// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** A bus set up for one process: its driver, its client, and the ends that it is asked for. */
public interface Stack extends AutoCloseable {
    /** After which driver and client give each other up: emulated machines take their time. */
    long LIVENESS_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    /** How long ends may take to connect. */
    long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    /** How long a stream may stand still before its run fails. */
    long SILENCE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    /** Name and version of the bus. */
    String version();

    /**
     * Makes the end that sends. Its echoes go to the handler from within {@link Initiator#poll}.
     */
    Initiator initiator(ReplyHandler handler);

    /** Makes the end that sends back. */
    Reflector reflector();

    /**
     * Makes the ends that send a stream, one for each of the load's publishers.
     *
     * @throws UnsupportedOperationException if this has none.
     */
    List<? extends Source> sources();

    /**
     * Makes the end that receives a stream.
     *
     * @param arrivals take what each subscription receives.
     * @throws UnsupportedOperationException if this has none.
     */
    Sink sink(Arrivals[] arrivals);

    /**
     * Makes the end that has streams recorded by the archive that {@link #reflector} has launched.
     *
     * @throws UnsupportedOperationException if this has none.
     */
    default Recorder recorder() {
        throw new UnsupportedOperationException("this bus has no archive");
    }

    /** What keeps its streams from connecting, as far as it knows: one sentence, or nothing. */
    default String trouble() {
        return "";
    }

    /** Says that the ends of a stack did not connect. */
    static IllegalStateException unconnected(Stack stack) {
        return new IllegalStateException(
                "the two ends did not connect within "
                        + TimeUnit.NANOSECONDS.toSeconds(CONNECT_TIMEOUT_NS)
                        + " s; check that the addresses reach each other "
                        + stack.trouble());
    }

    @Override
    void close();
}
