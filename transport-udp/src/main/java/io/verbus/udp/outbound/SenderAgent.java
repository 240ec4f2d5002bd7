// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.util.Queue;

/** The sender's part of the transport: runs the duty cycles of its destinations. */
public final class SenderAgent implements AutoCloseable {
    /** Maximum length of a received datagram, longer than any frame from a receiver. */
    private static final int MAX_CONTROL_LENGTH = 1_152;

    private final Queue<SenderCommand> commands = new ManyToOneConcurrentLinkedQueue<>();
    private final Queue<SenderEvent> events;
    private final SendBatch outgoing = new SendBatch(Destination.BATCH, Destination.JOINED_BATCH);
    private final ReceiveBatch incoming = new ReceiveBatch(Destination.BATCH, MAX_CONTROL_LENGTH);
    private final SenderCounters counters;
    private Destination[] destinations = new Destination[0];
    private long calls;
    private long bytes;

    SenderAgent(Queue<SenderEvent> events, SenderCounters counters) {
        this.events = events;
        this.counters = counters;
    }

    /** Returns the queue of commands from the conductor. */
    Queue<SenderCommand> commands() {
        return commands;
    }

    SendBatch outgoing() {
        return outgoing;
    }

    ReceiveBatch incoming() {
        return incoming;
    }

    /**
     * Runs the duty cycle. Called on the sender's thread.
     *
     * @param nowNs monotonic time, read once per cycle.
     * @return work count.
     */
    public int work(long nowNs) {
        int work = 0;
        SenderCommand command = commands.poll();
        if (command != null) {
            execute(command);
            work++;
        }
        Destination[] all = destinations;
        for (int i = 0; i < all.length; i++) {
            work += all[i].work(nowNs);
        }
        count();
        return work;
    }

    private void count() {
        long now = outgoing.calls() + incoming.calls();
        if (now != calls) {
            calls = now;
            counters.systemCalls.setRelease(now);
            counters.datagramsSent.setRelease(outgoing.sentDatagrams());
            counters.datagramsJoined.setRelease(outgoing.sentJoined());
            counters.bytes.getAndAddRelease(outgoing.sentBytes() - bytes); // RDMA adds to it, too
            bytes = outgoing.sentBytes();
        }
    }

    private void execute(SenderCommand command) {
        switch (command) {
            case SenderCommand.Attach attach ->
                    destinations = ArrayUtil.add(destinations, attach.destination());
            case SenderCommand.Detach detach -> {
                destinations = ArrayUtil.remove(destinations, detach.destination());
                events.add(new SenderEvent.Detached(detach.destination()));
            }
            case SenderCommand.AddReceiver add -> add.destination().add(add.receiver());
            case SenderCommand.RemoveReceiver remove -> {
                remove.destination().remove(remove.receiver());
                events.add(new SenderEvent.Removed(remove.receiver()));
            }
            case SenderCommand.Move move -> move.destination().move(move.to());
            case SenderCommand.Renew renew -> renew.destination().renewed();
            case SenderCommand.MoveReceiver move ->
                    move.receiver().address.set(new SocketAddress(move.to()));
            case SenderCommand.Add add -> add.destination().add(add.stream());
            case SenderCommand.End end -> end.stream().end();
        }
    }

    /** Frees the memory. The agent must have stopped. */
    @Override
    public void close() {
        outgoing.close();
        incoming.close();
    }
}
