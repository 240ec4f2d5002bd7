// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import java.net.InetSocketAddress;

/** Command from the conductor to the sender. */
sealed interface SenderCommand {
    /** Attaches a destination. */
    record Attach(Destination destination) implements SenderCommand {}

    /** Detaches a destination; {@link SenderEvent.Detached} follows. */
    record Detach(Destination destination) implements SenderCommand {}

    /** Adds a receiver to a destination. */
    record AddReceiver(Destination destination, RemoteReceiver receiver) implements SenderCommand {}

    /** Removes a receiver from a destination; {@link SenderEvent.Removed} follows. */
    record RemoveReceiver(Destination destination, RemoteReceiver receiver)
            implements SenderCommand {}

    /**
     * Changes the address of, or the route to, the only receiver of a destination; {@link
     * SenderEvent.Rebound} follows.
     */
    record Move(Destination destination, InetSocketAddress to) implements SenderCommand {}

    /** Announces that a destination's socket was replaced; {@link SenderEvent.Rebound} follows. */
    record Renew(Destination destination) implements SenderCommand {}

    /** Changes the address of one of several receivers. */
    record MoveReceiver(RemoteReceiver receiver, InetSocketAddress to) implements SenderCommand {}

    /** Adds a stream to a destination. */
    record Add(Destination destination, SendStream stream) implements SenderCommand {}

    /** Ends a stream; {@link SenderEvent.Finished} follows. */
    record End(SendStream stream) implements SenderCommand {}
}
