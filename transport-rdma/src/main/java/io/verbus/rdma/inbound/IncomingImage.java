// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.link.ImageCounters;
import io.verbus.rdma.link.Offer;
import io.verbus.transport.InboundImage;

/**
 * An image and who writes it. Conductor's thread.
 *
 * <pre>
 *   OPEN ──driver closes──▶ CLOSING ──peer's Close or Setup, or link lost──▶ released
 *    ▲ ├────peer's Close──▶ UNWRITABLE ──driver closes──▶ released
 *    │ └────link lost──▶ HELD ──driver closes──▶ released
 *    └──peer's Setup──────┘ └──time-out──▶ UNWRITABLE
 * </pre>
 */
final class IncomingImage {
    enum State {
        /** The peer writes it. */
        OPEN,

        /** The peer was told to stop, and has not said yet that it did. */
        CLOSING,

        /** The link was lost: nothing can write it, but it goes on when the same peer is back. */
        HELD,

        /** Nothing can write it any more; its subscribers may still read. */
        UNWRITABLE
    }

    final InboundImage image;

    /** With which the peer offered the stream, on the last of its connections. */
    final Offer offer;

    private State state = State.OPEN;

    /** Those of the image, handed on when it goes on; null if it never was written. */
    final ImageCounters counters;

    /** When the peer must have answered, while closing; until when it is held. */
    long deadlineNs;

    /** Why the link was lost, while it is held. */
    String lossReason;

    private final CreditGrant grant;
    private RegisteredMemory log;

    IncomingImage(
            InboundImage image,
            Offer offer,
            CreditGrant grant,
            RegisteredMemory log,
            ImageCounters counters) {
        this.image = image;
        this.offer = offer;
        this.grant = grant;
        this.log = log;
        this.counters = counters;
        show();
    }

    State state() {
        return state;
    }

    void state(State next) {
        state = next;
        show();
    }

    private void show() {
        if (counters != null) {
            counters.state.setRelease(
                    switch (state) {
                        case OPEN -> ImageCounters.WRITTEN;
                        case CLOSING -> ImageCounters.CLOSING;
                        case HELD -> ImageCounters.HELD;
                        case UNWRITABLE -> ImageCounters.ENDED;
                    });
        }
    }

    /** What the peer was told to be consumed; null if it was never accepted. */
    CreditGrant grant() {
        return grant;
    }

    /** Takes the log from the peer: a write that still arrived would fail its connection. */
    void closeLog() {
        if (log != null) {
            log.close();
            log = null;
        }
    }
}
