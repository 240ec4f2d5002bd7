// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.codecs.control.ClientKeepaliveDecoder;
import io.verbus.driver.background.FairQueue;

import org.agrona.MutableDirectBuffer;
import org.agrona.collections.Long2LongCounterMap;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Executes commands no faster than clients can receive their events, taking turns by client: a
 * client that sends more than the driver may answer delays only itself. Meanwhile the ring that all
 * clients share is drained. Used by the conductor's thread.
 */
public final class CommandTurns implements MessageHandler {
    /** Maximum number of bytes of one client's waiting commands: the ring's default length. */
    static final int MAX_OF_CLIENT = 1024 * 1024;

    /** Maximum number of bytes of all clients' waiting commands. */
    static final int MAX_OF_ALL = 16 * MAX_OF_CLIENT;

    /** Memory overhead of a waiting object in bytes. */
    private static final int OVERHEAD = 64;

    /** Owner of the commands of unknown clients, whose ids may be made up. */
    private static final long UNKNOWN = -1;

    private record Command(long owner, int typeId, UnsafeBuffer body) {}

    /** The clients that send commands. */
    public interface Senders {
        /** Returns whether the driver knows a client. */
        boolean contains(long clientId);

        /** Handles a client's command that has arrived and waits. */
        void heard(long clientId);

        /**
         * Handles a client's command that is dropped without an answer, because too many of its
         * commands wait.
         */
        void dropped(long clientId);
    }

    private final MessageHandler decoder;
    private final EventTransmitter events;
    private final Senders senders;
    private final FairQueue<Command> waiting = new FairQueue<>();
    private final Long2LongCounterMap bytesOf = new Long2LongCounterMap(0);
    private long bytes;

    /**
     * @param decoder decoder that executes the commands.
     * @param events transmitter of the answers.
     */
    public CommandTurns(MessageHandler decoder, EventTransmitter events, Senders senders) {
        this.decoder = decoder;
        this.events = events;
        this.senders = senders;
    }

    /** Queues a command from the ring. */
    @Override
    public void onMessage(int typeId, MutableDirectBuffer buffer, int index, int length) {
        long clientId = length < Long.BYTES ? UNKNOWN : buffer.getLong(index);
        boolean isKnown = senders.contains(clientId);
        boolean isUnanswered = isKnown && typeId == ClientKeepaliveDecoder.TEMPLATE_ID;
        if (isUnanswered || waiting.isEmpty() && events.isOpen()) {
            decoder.onMessage(typeId, buffer, index, length);
        } else {
            await(isKnown ? clientId : UNKNOWN, clientId, typeId, buffer, index, length);
        }
    }

    private void await(
            long owner,
            long clientId,
            int typeId,
            MutableDirectBuffer buffer,
            int index,
            int length) {
        int copied = Math.min(length, CommandDecoder.MAX_LENGTH + 1); // still too long
        int taken = copied + OVERHEAD;
        if (owner != UNKNOWN) {
            senders.heard(clientId);
        }
        if (bytesOf.get(owner) + taken > MAX_OF_CLIENT || bytes + taken > MAX_OF_ALL) {
            senders.dropped(clientId);
            return;
        }
        UnsafeBuffer body = new UnsafeBuffer(new byte[copied]);
        body.putBytes(0, buffer, index, copied);
        waiting.add(owner, new Command(owner, typeId, body));
        bytesOf.addAndGet(owner, taken);
        bytes += taken;
    }

    /**
     * Executes waiting commands while their events can be transmitted.
     *
     * @param most maximum number of commands to execute.
     * @return the number executed.
     */
    public int run(int most) {
        int count = 0;
        while (count < most && events.isOpen() && !waiting.isEmpty()) {
            Command command = waiting.next();
            waiting.endTurn(true);
            int taken = command.body.capacity() + OVERHEAD;
            bytesOf.addAndGet(command.owner, -taken);
            bytes -= taken;
            count++;
            decoder.onMessage(command.typeId, command.body, 0, command.body.capacity());
        }
        return count;
    }
}
