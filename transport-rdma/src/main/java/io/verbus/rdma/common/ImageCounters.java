// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.SystemCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Counters of an image other than its positions. Created and closed by the conductor, which writes
 * state and resumes; the receiver writes the grants.
 */
public final class ImageCounters extends PooledCounters {
    /** {@link #state}: the peer writes the image. */
    public static final int WRITTEN = 1;

    /** {@link #state}: the connection is lost, and the image is held for the peer. */
    public static final int HELD = 2;

    /** {@link #state}: the peer was asked to stop writing the image. */
    public static final int CLOSING = 3;

    /** {@link #state}: nothing writes the image now; its subscribers may still read. */
    public static final int ENDED = 4;

    /** {@link #state}: the log is being registered. */
    public static final int REGISTERING = 5;

    /** One of the states above; 0 when the image is gone. */
    public final AtomicCounter state;

    /** Number of grants of credit. */
    public final AtomicCounter grants;

    /** Bytes received in all images of the driver, counted when credit is granted. */
    public final AtomicCounter allBytes;

    /** Number of times that the image resumed after a lost connection. */
    public final AtomicCounter resumes;

    /**
     * @param host driver that keeps the counters.
     * @param name name of the image in labels.
     * @param key key of the image.
     */
    public ImageCounters(TransportHost host, String name, ConnectionKey key) {
        super(host, name, key);
        allBytes = host.counter(SystemCounter.BYTES_RECEIVED);
        try {
            state = counter(ConnectionCounter.IMAGE_STATE);
            grants = counter(ConnectionCounter.IMAGE_GRANTS);
            resumes = counter(ConnectionCounter.IMAGE_RESUMES);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    void end() {
        state.setRelease(0);
        super.end();
    }
}
