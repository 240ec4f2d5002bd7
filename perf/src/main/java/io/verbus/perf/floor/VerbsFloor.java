// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Arrivals;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.ReplyHandler;
import io.verbus.perf.load.Sink;
import io.verbus.perf.load.Source;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;

import org.agrona.BitUtil;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * Floor for RDMA: messages sent through verbs alone, each posted separately, in one work request or
 * two.
 */
public final class VerbsFloor implements Stack {
    private final Work work;
    private final boolean isInTwo;
    private VerbsLink link;

    public VerbsFloor(Work work, boolean isInTwo) {
        this.work = work;
        this.isInTwo = isInTwo;
    }

    @Override
    public String version() {
        return isInTwo ? "verbs, two work requests" : "verbs, one work request";
    }

    @Override
    public Initiator initiator(ReplyHandler handler) {
        link = connect();
        return new VerbsInitiator(link, handler);
    }

    @Override
    public Reflector reflector() {
        link = listen();
        return new VerbsReflector(link);
    }

    @Override
    public List<? extends Source> sources() {
        link = connect();
        return List.of(new VerbsSource(link));
    }

    @Override
    public Sink sink(Arrivals[] arrivals) {
        link = listen();
        return new VerbsSink(link, arrivals, work.length());
    }

    private VerbsLink connect() {
        return VerbsLink.connect(
                new InetSocketAddress(work.initiator(), 0),
                new InetSocketAddress(work.reflector(), work.port()),
                length(),
                isInTwo);
    }

    private VerbsLink listen() {
        return VerbsLink.listen(
                new InetSocketAddress(work.reflector(), work.port()), length(), isInTwo);
    }

    /** Returns the message length; with two work requests, the length of a bus's frame. */
    private int length() {
        return isInTwo
                ? BitUtil.align(work.length() + Work.HEADER_LENGTH, Work.HEADER_LENGTH)
                : BitUtil.align(Math.max(work.length(), 3 * Long.BYTES), Long.BYTES);
    }

    @Override
    public void close() {
        if (link != null) {
            link.close();
        }
    }

    /** Sends messages and receives their echoes. */
    private static final class VerbsInitiator implements Initiator {
        private final VerbsLink link;
        private final ReplyHandler handler;
        private long received;

        VerbsInitiator(VerbsLink link, ReplyHandler handler) {
            this.link = link;
            this.handler = handler;
        }

        @Override
        public boolean isConnected() {
            return link.isConnected();
        }

        @Override
        public boolean send(long sequence, long time) {
            if (sequence - received >= VerbsLink.SLOTS) {
                return false;
            }
            return link.write(sequence, time);
        }

        @Override
        public int poll() {
            if (!link.hasArrived(received)) {
                return 0;
            }
            handler.onReply(received, link.value(received));
            received++;
            return 1;
        }
    }

    /** Sends messages back. */
    private static final class VerbsReflector implements Reflector {
        private final VerbsLink link;
        private long received;

        VerbsReflector(VerbsLink link) {
            this.link = link;
        }

        @Override
        public int poll() {
            if (!link.isConnected() || !link.hasArrived(received)) {
                return 0;
            }
            if (!link.write(received, link.value(received))) {
                return 0;
            }
            received++;
            return 1;
        }
    }

    /** Sends a stream. */
    private static final class VerbsSource implements Source {
        private final VerbsLink link;
        private long sent;
        private long consumed;

        VerbsSource(VerbsLink link) {
            this.link = link;
        }

        @Override
        public boolean isConnected() {
            return link.isConnected();
        }

        @Override
        public boolean send(long tag) {
            if (sent - consumed >= VerbsLink.SLOTS) {
                consumed = link.consumed();
                return false;
            }
            if (!link.write(sent, tag)) {
                return false;
            }
            sent++;
            return true;
        }

        @Override
        public int poll() {
            return 0;
        }
    }

    /** Receives a stream. */
    private static final class VerbsSink implements Sink {
        private final VerbsLink link;
        private final Arrivals[] arrivals;
        private final int length;
        private long received;

        VerbsSink(VerbsLink link, Arrivals[] arrivals, int length) {
            this.link = link;
            this.arrivals = arrivals;
            this.length = length;
        }

        @Override
        public int poll() {
            if (!link.isConnected() || !link.hasArrived(received)) {
                return 0;
            }
            long tag = link.value(received);
            for (Arrivals arrival : arrivals) {
                arrival.onMessage(tag, length);
            }
            received++;
            if (received % (VerbsLink.SLOTS / 4) == 0) {
                link.tellConsumed(received);
            }
            return 1;
        }
    }
}
