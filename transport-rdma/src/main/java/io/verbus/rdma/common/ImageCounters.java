// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.SystemCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * What operators see of an image, beside its positions. Made and closed by the conductor, which
 * writes state and resumes; the receiver writes the grants.
 */
public final class ImageCounters extends PooledCounters {
    /** {@link #state}: the peer writes it. */
    public static final int WRITTEN = 1;

    /** {@link #state}: its connection is lost, and it waits for the peer. */
    public static final int HELD = 2;

    /** {@link #state}: the peer was told to stop writing it. */
    public static final int CLOSING = 3;

    /** {@link #state}: nothing writes it any more; its subscribers may still read. */
    public static final int ENDED = 4;

    /** {@link #state}: its log is being registered. */
    public static final int REGISTERING = 5;

    /** One of the states above; 0 when it is gone. */
    public final AtomicCounter state;

    /** Times that credit was granted. */
    public final AtomicCounter grants;

    /** Bytes of all images, counted when credit is granted: of the driver as a whole. */
    public final AtomicCounter allBytes;

    /** Times that it went on after its connection was lost. */
    public final AtomicCounter resumes;

    /**
     * @param host that keeps them.
     * @param name of the image, for people.
     * @param key of the image.
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
