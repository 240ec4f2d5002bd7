// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import java.net.InetSocketAddress;

/** What the conductor asks of the sender. */
sealed interface SenderCommand {
    /** Use a destination. */
    record Attach(Destination destination) implements SenderCommand {}

    /** Let go of a destination; {@link SenderEvent.Detached} follows. */
    record Detach(Destination destination) implements SenderCommand {}

    /** Send to one more receiver. */
    record AddReceiver(Destination destination, RemoteReceiver receiver) implements SenderCommand {}

    /** Send to a receiver no more; {@link SenderEvent.Removed} follows. */
    record RemoveReceiver(Destination destination, RemoteReceiver receiver)
            implements SenderCommand {}

    /**
     * Send to the one receiver of a destination at another address, or by another route; {@link
     * SenderEvent.Rebound} follows.
     */
    record Move(Destination destination, InetSocketAddress to) implements SenderCommand {}

    /** A destination has another socket; {@link SenderEvent.Rebound} follows. */
    record Renew(Destination destination) implements SenderCommand {}

    /** Send to one of several receivers at another address. */
    record MoveReceiver(RemoteReceiver receiver, InetSocketAddress to) implements SenderCommand {}

    /** Send a stream to a destination. */
    record Add(Destination destination, SendStream stream) implements SenderCommand {}

    /** End a stream; {@link SenderEvent.Finished} follows. */
    record End(SendStream stream) implements SenderCommand {}
}
