// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.codecs.control.ClientKeepaliveDecoder;
import io.verbus.driver.background.FairQueue;

import org.agrona.MutableDirectBuffer;
import org.agrona.collections.Long2LongCounterMap;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Executes commands no faster than clients can receive the resulting events. Clients take turns, so
 * that a client that sends more commands than the driver may answer delays only itself. Meanwhile
 * the commands in the ring that all clients share are moved to queues. Used by the conductor's
 * thread.
 *
 * <p>The ids of clients that the driver does not know may be made up, so all of these clients share
 * one turn, in which they alternate.
 */
public final class CommandTurns implements MessageHandler {
    /** Maximum number of bytes of one client's waiting commands: the ring's default length. */
    static final int MAX_OF_CLIENT = 1024 * 1024;

    /**
     * Maximum number of bytes of the waiting commands of one client that the driver does not know,
     * so that one made-up id leaves room for others. All of them together have {@link
     * #MAX_OF_CLIENT}.
     */
    static final int MAX_OF_STRANGER = MAX_OF_CLIENT / 8;

    /** Maximum number of bytes of all clients' waiting commands. */
    static final int MAX_OF_ALL = 16 * MAX_OF_CLIENT;

    /** Memory overhead of a waiting object in bytes. */
    private static final int OVERHEAD = 64;

    /** Client id of a command that is too short to have one. */
    private static final long NONE = -1;

    /** Owner of the turn that all clients unknown to the driver share. */
    private static final Object STRANGERS = new Object();

    private record Command(long clientId, int typeId, UnsafeBuffer body) {
        int taken() {
            return body.capacity() + OVERHEAD;
        }
    }

    /** Receives notice of commands, and knows the clients that send them. */
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

    /**
     * Commands by client; each entry for {@link #STRANGERS} represents the next of {@link
     * #strangers}.
     */
    private final FairQueue<Command> waiting = new FairQueue<>();

    private final FairQueue<Command> strangers = new FairQueue<>();
    private final Long2LongCounterMap bytesOf = new Long2LongCounterMap(0);
    private final Long2LongCounterMap bytesOfStranger = new Long2LongCounterMap(0);
    private long bytesOfStrangers;
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
        long clientId = length < Long.BYTES ? NONE : buffer.getLong(index);
        boolean isKnown = senders.contains(clientId);
        boolean isUnanswered = isKnown && typeId == ClientKeepaliveDecoder.TEMPLATE_ID;
        if (isUnanswered || waiting.isEmpty() && events.isOpen()) {
            decoder.onMessage(typeId, buffer, index, length);
            return;
        }
        if (isKnown) {
            senders.heard(clientId);
        }
        int copied = Math.min(length, CommandDecoder.MAX_LENGTH + 1); // still too long
        // The commands of a client stay in their order while the driver gets to know it.
        boolean isStranger = !isKnown || bytesOfStranger.get(clientId) > 0;
        if (!hasRoom(clientId, isStranger, copied + OVERHEAD)) {
            senders.dropped(clientId);
            return;
        }
        UnsafeBuffer body = new UnsafeBuffer(new byte[copied]);
        body.putBytes(0, buffer, index, copied);
        Command command = new Command(clientId, typeId, body);
        if (isStranger) {
            strangers.add(clientId, command);
        }
        waiting.add(isStranger ? STRANGERS : clientId, command);
        count(clientId, isStranger, command.taken());
    }

    private boolean hasRoom(long clientId, boolean isStranger, int taken) {
        boolean hasShare =
                isStranger
                        ? bytesOfStranger.get(clientId) + taken <= MAX_OF_STRANGER
                                && bytesOfStrangers + taken <= MAX_OF_CLIENT
                        : bytesOf.get(clientId) + taken <= MAX_OF_CLIENT;
        return hasShare && bytes + taken <= MAX_OF_ALL;
    }

    private void count(long clientId, boolean isStranger, int taken) {
        (isStranger ? bytesOfStranger : bytesOf).addAndGet(clientId, taken);
        bytesOfStrangers += isStranger ? taken : 0;
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
            boolean isStranger = waiting.nextOwner() == STRANGERS;
            Command command = take(waiting);
            if (isStranger) {
                command = take(strangers);
            }
            count(command.clientId, isStranger, -command.taken());
            count++;
            decoder.onMessage(command.typeId, command.body, 0, command.body.capacity());
        }
        return count;
    }

    private static Command take(FairQueue<Command> queue) {
        Command command = queue.next();
        queue.endTurn(true);
        return command;
    }
}
