// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.common.ReceiverCounters;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SendBatch;

import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.util.Queue;

/** The receiver's part of the transport: runs the duty cycles of its endpoints. */
public final class ReceiverAgent implements AutoCloseable {
    private static final int BATCH = 16;
    private static final int MAX_DATAGRAM = 65_536;

    private final Queue<ReceiverCommand> commands = new ManyToOneConcurrentLinkedQueue<>();
    private final Queue<ReceiverEvent> events;
    private final ReceiveBatch incoming = new ReceiveBatch(BATCH, MAX_DATAGRAM);
    private final SendBatch outgoing = new SendBatch(1);
    private final ReceiverCounters counters;
    private long calls;
    private long bytes;
    private EndpointPoller[] receivers = new EndpointPoller[0];

    ReceiverAgent(Queue<ReceiverEvent> events, ReceiverCounters counters) {
        this.events = events;
        this.counters = counters;
    }

    /** Returns the queue of commands from the conductor. */
    Queue<ReceiverCommand> commands() {
        return commands;
    }

    ReceiveBatch incoming() {
        return incoming;
    }

    SendBatch outgoing() {
        return outgoing;
    }

    /**
     * Runs the duty cycle. Called on the receiver's thread.
     *
     * @param nowNs monotonic time, read once per cycle.
     * @return work count.
     */
    public int work(long nowNs) {
        int work = 0;
        ReceiverCommand command = commands.poll();
        if (command != null) {
            execute(command, nowNs);
            work++;
        }
        EndpointPoller[] all = receivers;
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
            counters.datagramsReceived.setRelease(incoming.received());
            counters.bytes.getAndAddRelease(
                    incoming.receivedBytes() - bytes); // RDMA adds to it, too
            bytes = incoming.receivedBytes();
        }
    }

    private void execute(ReceiverCommand command, long nowNs) {
        switch (command) {
            case ReceiverCommand.Attach attach -> {
                receivers = ArrayUtil.add(receivers, attach.endpoint().receiver());
                attach.endpoint().receiver().attach();
            }
            case ReceiverCommand.Detach detach -> {
                receivers = ArrayUtil.remove(receivers, detach.endpoint().receiver());
                detach.endpoint().receiver().detach(nowNs);
                events.add(new ReceiverEvent.Detached(detach.endpoint()));
            }
            case ReceiverCommand.Listen listen ->
                    listen.endpoint().receiver().listen(listen.streamId());
            case ReceiverCommand.Await wanted ->
                    wanted.endpoint().receiver().await(wanted.streamId(), wanted.sessionId());
            case ReceiverCommand.Forget gone ->
                    gone.endpoint().receiver().forget(gone.streamId(), gone.sessionId());
            case ReceiverCommand.Respond respond ->
                    respond.image().responses().tell(respond.sessionId());
            case ReceiverCommand.Move move -> move.endpoint().receiver().move(move.to());
            case ReceiverCommand.Accept accept ->
                    accept.endpoint().receiver().accept(accept.image());
            case ReceiverCommand.Refuse refuse -> {
                refuse.endpoint().receiver().refuse(refuse.streamId(), refuse.sessionId(), nowNs);
                if (refuse.isWanted()) {
                    counters.setupsRefused.incrementRelease();
                }
            }
            case ReceiverCommand.Fail fail -> fail.endpoint().receiver().fail(fail, nowNs);
            case ReceiverCommand.Stop stop ->
                    stop.image().endpoint().receiver().stop(stop.image(), nowNs);
            case ReceiverCommand.Close close -> {
                close.image().endpoint().receiver().remove(close.image(), close.rejection(), nowNs);
                events.add(new ReceiverEvent.Released(close.image()));
            }
        }
    }

    /** Frees the memory. The agent must have stopped. */
    @Override
    public void close() {
        incoming.close();
        outgoing.close();
    }
}
