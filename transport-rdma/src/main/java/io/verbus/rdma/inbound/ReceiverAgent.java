// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.util.Queue;

/** The receiver's part of the transport: drives all attached connections. */
public final class ReceiverAgent {
    private final Queue<ReceiverCommand> commands = new ManyToOneConcurrentLinkedQueue<>();
    private InboundLink[] links = new InboundLink[0];

    /** Returns the queue of the conductor's commands. */
    Queue<ReceiverCommand> commands() {
        return commands;
    }

    /**
     * Runs the duty cycle. Used by the receiver's thread.
     *
     * @param nowNs monotonic time, read once for the cycle.
     * @return the work count.
     */
    public int work(long nowNs) {
        int work = 0;
        ReceiverCommand command = commands.poll();
        if (command != null) {
            execute(command);
            work++;
        }
        InboundLink[] all = links;
        for (int i = 0; i < all.length; i++) {
            work += all[i].work(nowNs);
            if (all[i].hasFailed()) {
                all[i].release();
                links = ArrayUtil.remove(links, all[i]);
            }
        }
        return work;
    }

    private void execute(ReceiverCommand command) {
        switch (command) {
            case ReceiverCommand.Attach attach -> links = ArrayUtil.add(links, attach.link());
            case ReceiverCommand.Detach detach -> {
                if (isAttached(detach.link())) {
                    detach.link().detach(detach.reason());
                    links = ArrayUtil.remove(links, detach.link());
                }
            }
            case ReceiverCommand.Leave leave -> {
                if (isAttached(leave.link())) {
                    leave.link().leave(leave.reason());
                }
            }
            case ReceiverCommand.Reply reply -> {
                if (isAttached(reply.link())) {
                    reply.link().answer(reply.answer());
                }
            }
        }
    }

    private boolean isAttached(InboundLink link) {
        for (InboundLink attached : links) {
            if (attached == link) {
                return true;
            }
        }
        return false;
    }
}
