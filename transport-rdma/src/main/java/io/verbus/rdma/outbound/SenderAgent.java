// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.util.Queue;

/** The sender's part of the transport, which services all attached connections. */
public final class SenderAgent {
    private final Queue<SenderCommand> commands = new ManyToOneConcurrentLinkedQueue<>();
    private final Queue<SenderEvent> events = new ManyToOneConcurrentLinkedQueue<>();
    private OutboundLink[] links = new OutboundLink[0];

    /** Returns the queue of the conductor's commands. */
    Queue<SenderCommand> commands() {
        return commands;
    }

    /** Returns the queue of events to the conductor. */
    Queue<SenderEvent> events() {
        return events;
    }

    /**
     * Runs the duty cycle. Used by the sender's thread.
     *
     * @param nowNs monotonic time, read once for the cycle.
     * @return the work count.
     */
    public int work(long nowNs) {
        int work = 0;
        SenderCommand command = commands.poll();
        if (command != null) {
            execute(command);
            work++;
        }
        OutboundLink[] all = links;
        for (int i = 0; i < all.length; i++) {
            work += all[i].work(nowNs);
            if (all[i].hasFailed()) {
                all[i].release();
                links = ArrayUtil.remove(links, all[i]);
            }
        }
        return work;
    }

    private void execute(SenderCommand command) {
        switch (command) {
            case SenderCommand.Attach attach -> links = ArrayUtil.add(links, attach.link());
            case SenderCommand.Detach detach -> {
                if (isAttached(detach.link())) {
                    detach.link().detach(detach.reason());
                    links = ArrayUtil.remove(links, detach.link());
                }
            }
            case SenderCommand.Add add -> {
                if (isAttached(add.link())) {
                    add.link().add(add.transfer());
                }
            }
            case SenderCommand.GiveUp giveUp -> giveUp.transfer().giveUp();
            case SenderCommand.Drop drop -> drop.branch().drop();
            case SenderCommand.Unread unread -> unread.branch().onUnread(unread.isOver());
            case SenderCommand.End end -> {
                end.transfer().end();
                if (isAttached(end.link())) {
                    end.link().wake(end.transfer());
                }
            }
            case SenderCommand.Free free -> events.add(new SenderEvent.Unused(free.publication()));
        }
    }

    private boolean isAttached(OutboundLink link) {
        for (OutboundLink attached : links) {
            if (attached == link) {
                return true;
            }
        }
        return false;
    }
}
