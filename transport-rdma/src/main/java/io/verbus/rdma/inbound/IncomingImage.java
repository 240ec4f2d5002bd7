// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.link.Offer;
import io.verbus.transport.InboundImage;

/**
 * An image and who writes it. Conductor's thread.
 *
 * <pre>
 *   OPEN ──driver closes──▶ CLOSING ──peer's Close or Setup, or link lost──▶ released
 *     └────peer's Close, or link lost──▶ UNWRITABLE ──driver closes──▶ released
 * </pre>
 */
final class IncomingImage {
    enum State {
        /** The peer writes it. */
        OPEN,

        /** The peer was told to stop, and has not said yet that it did. */
        CLOSING,

        /** Nothing can write it any more; its subscribers may still read. */
        UNWRITABLE
    }

    final InboundImage image;
    final Offer offer;
    State state = State.OPEN;

    /** When the peer must have answered, while closing. */
    long deadlineNs;

    private RegisteredMemory log;

    IncomingImage(InboundImage image, Offer offer, RegisteredMemory log) {
        this.image = image;
        this.offer = offer;
        this.log = log;
    }

    /** Takes the log from the peer: a write that still arrived would fail its connection. */
    void closeLog() {
        if (log != null) {
            log.close();
            log = null;
        }
    }
}
