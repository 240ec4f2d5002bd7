// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

class CommandTurnsTest {
    private static final int CAPACITY = 64 * 1024;
    private static final int COMMAND = 2;
    private static final int KEEPALIVE = 6;
    private static final long GREEDY = 7;
    private static final long HONEST = 8;
    private static final long STRANGER = 9;

    private final EventTransmitter events =
            new EventTransmitter(
                    new UnsafeBuffer(
                            ByteBuffer.allocateDirect(
                                    CAPACITY + BroadcastBufferDescriptor.TRAILER_LENGTH)),
                    0);
    private final Set<Long> known = new HashSet<>(Set.of(GREEDY, HONEST));
    private final List<Long> done = new ArrayList<>();
    private final List<Integer> lengths = new ArrayList<>();
    private final List<Long> heard = new ArrayList<>();
    private final List<Long> dropped = new ArrayList<>();
    private final UnsafeBuffer command = new UnsafeBuffer(ByteBuffer.allocateDirect(1024));
    private final CommandTurns turns =
            new CommandTurns(
                    (type, buffer, index, length) -> {
                        done.add(buffer.getLong(index));
                        lengths.add(length);
                        if (type == COMMAND) {
                            events.transmit(1, command, 0, 100);
                        }
                    },
                    events,
                    new CommandTurns.Senders() {
                        @Override
                        public boolean contains(long clientId) {
                            return known.contains(clientId);
                        }

                        @Override
                        public void heard(long clientId) {
                            heard.add(clientId);
                        }

                        @Override
                        public void dropped(long clientId) {
                            dropped.add(clientId);
                        }
                    });
    private long nowNs;

    private void send(long client, int typeId, int length) {
        command.putLong(0, client);
        turns.onMessage(typeId, command, 0, length);
    }

    private void exhaust() {
        while (events.isOpen()) {
            send(GREEDY, COMMAND, 24);
        }
        done.clear();
        lengths.clear();
        heard.clear();
    }

    /** Time in which about ten events are sent. */
    private void turn() {
        nowNs += 10 * EventTransmitter.FILL_NS * 128 / CAPACITY;
        events.work(nowNs);
        turns.run(10);
    }

    @Test
    void executesImmediatelyWhileClientsKeepUp() {
        send(GREEDY, COMMAND, 24);
        send(STRANGER, COMMAND, 24);
        assertEquals(List.of(GREEDY, STRANGER), done);
    }

    @Test
    void alternatesBetweenClientsThatCannotKeepUp() {
        exhaust();
        for (int i = 0; i < 1000; i++) {
            send(GREEDY, COMMAND, 24);
        }
        for (int i = 0; i < 3; i++) {
            send(HONEST, COMMAND, 24);
            send(STRANGER, COMMAND, 24);
        }
        assertEquals(List.of(), done);
        turn();
        assertEquals(
                List.of(
                        GREEDY, HONEST, STRANGER, GREEDY, HONEST, STRANGER, GREEDY, HONEST,
                        STRANGER),
                done.subList(0, 9));
        while (done.size() < 1006) {
            turn();
        }
        assertEquals(List.of(), dropped);
    }

    @Test
    void acceptsKeepalivesOfWaitingClients() {
        exhaust();
        send(HONEST, COMMAND, 24);
        send(STRANGER, COMMAND, 24);
        assertEquals(List.of(HONEST), heard);
        send(HONEST, KEEPALIVE, 16);
        assertEquals(List.of(HONEST), done, "a keepalive is not answered, and does not wait");
    }

    @Test
    void dropsCommandsBeyondLimitOfClient() {
        exhaust();
        int most = CommandTurns.MAX_OF_CLIENT / 1024;
        for (int i = 0; i < most; i++) {
            send(GREEDY, COMMAND, 1000);
        }
        int before = dropped.size();
        assertTrue(before > most / 50 && before < most / 10, before + " of " + most);
        send(HONEST, COMMAND, 1000);
        send(STRANGER, COMMAND, 1000);
        assertEquals(before, dropped.size(), "others' are kept");
        while (done.size() < most - before + 2) {
            turn();
        }
        exhaust();
        send(GREEDY, COMMAND, 1000);
        assertEquals(before, dropped.size(), "there is room again");
    }

    @Test
    void floodFromUnknownClientLeavesRoomForNewClient() {
        long newcomer = STRANGER + 1;
        exhaust();
        while (dropped.isEmpty()) {
            send(STRANGER, COMMAND, 24);
        }
        send(newcomer, COMMAND, 24);
        send(HONEST, COMMAND, 24);
        assertEquals(List.of(STRANGER), dropped);
        turn();
        assertEquals(List.of(STRANGER, HONEST, newcomer), done.subList(0, 3));
    }

    @Test
    void keepsCommandOrderOfClientThatBecomesKnown() {
        exhaust();
        send(STRANGER, COMMAND, 24);
        send(STRANGER, COMMAND, 25);
        known.add(STRANGER);
        send(STRANGER, COMMAND, 26);
        assertEquals(List.of(STRANGER), heard);
        turn();
        assertEquals(List.of(24, 25, 26), lengths);
        exhaust();
        send(GREEDY, COMMAND, 24);
        send(STRANGER, COMMAND, 24);
        assertEquals(List.of(GREEDY, STRANGER), heard, "a known client has its own turn");
    }
}
