// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.common.CreditLine;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RemoteKey;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One end of a simulated connection. {@link SimNetwork} describes its guarantees. */
public final class SimQueuePair implements QueuePair {
    private static final LocalKey NO_KEY = new LocalKey(0);
    private static final RemoteKey NO_REMOTE_KEY = new RemoteKey(0);

    /** Work requests that complete alone although they have not landed. */
    private static final int ON_ITS_WAY = 16;

    private static int nextNumber = 17;

    private final SimNetwork network;
    private final SimDomain domain;
    private final int depth;
    private final int maxInline;
    private final int receiveDepth;
    private final int number = nextNumber++;
    private final List<SimWork> staged = new ArrayList<>();
    private final ArrayDeque<SimWork> posted = new ArrayDeque<>();
    private final ArrayDeque<SimWork> remains = new ArrayDeque<>();
    private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
    private SimQueuePair peer;
    private long postedCount;
    private long landedCount;
    private long completable;
    private long visible;
    private long completed;
    private long lastSignaled;
    private boolean mustAsk;
    private long question;
    private long answered;
    private String failure;
    private boolean failureTold;
    private boolean closed;
    private boolean stopped;
    private boolean cut;
    private boolean isUngranted;

    SimQueuePair(SimNetwork network, SimDomain domain, int depth, int maxInline, int receiveDepth) {
        this.network = network;
        this.domain = domain;
        this.depth = depth;
        this.maxInline = maxInline;
        this.receiveDepth = receiveDepth;
    }

    void connect(SimQueuePair other) {
        peer = other;
        other.peer = this;
        network.add(this);
        network.add(other);
    }

    // The interface

    @Override
    public int number() {
        return number;
    }

    @Override
    public int maxInline() {
        return maxInline;
    }

    @Override
    public long maxMessage() {
        return network.maxMessage();
    }

    @Override
    public int free() {
        return depth - staged.size() - (int) (postedCount - completed);
    }

    /** Emulates a fabric on which a sender waits for the peer's receives. */
    @Override
    public boolean canSend() {
        return !isUngranted;
    }

    /** Emulates a peer that does not grant messages, as over iWARP. */
    void grantMessages(boolean granted) {
        isUngranted = !granted;
    }

    @Override
    public long stageProbe() {
        boolean hasRoom = free() > 0;
        if (hasRoom) {
            stageWrite(0, 0, NO_KEY, 0, NO_REMOTE_KEY);
        }
        long last = postedCount + staged.size();
        if (!network.completesAlone()) {
            return hasRoom || !staged.isEmpty() ? last : completed + 1;
        }
        if (hasRoom) {
            staged.getLast().asks = true;
            return last;
        }
        mustAsk = true;
        return last + 1;
    }

    @Override
    public void stageWrite(
            long address, int length, LocalKey key, long remoteAddress, RemoteKey remoteKey) {
        if (network.isInstant()) {
            landNow(address, length, remoteAddress);
            return;
        }
        stage(new SimWork(false, address, length, key, 0, 0, NO_KEY, remoteAddress, remoteKey));
    }

    /** Lands immediately, and is complete at the next poll. */
    private void landNow(long address, int length, long remoteAddress) {
        for (int i = 0; i < length; i += Long.BYTES) {
            UnsafeApi.putLong(remoteAddress + i, UnsafeApi.getLong(address + i));
        }
        postedCount++;
        landedCount = postedCount;
        lastSignaled = postedCount;
        completable = postedCount;
        visible = postedCount;
    }

    @Override
    public void stageWrite(
            long address1,
            int length1,
            LocalKey key1,
            long address2,
            int length2,
            LocalKey key2,
            long remoteAddress,
            RemoteKey remoteKey) {
        if (network.isInstant()) {
            landNow(address1, length1, remoteAddress);
            landNow(address2, length2, remoteAddress + length1);
            return;
        }
        stage(
                new SimWork(
                        false,
                        address1,
                        length1,
                        key1,
                        address2,
                        length2,
                        key2,
                        remoteAddress,
                        remoteKey));
    }

    @Override
    public void stageSend(long address, int length, LocalKey key) {
        stage(new SimWork(true, address, length, key, 0, 0, NO_KEY, 0, NO_REMOTE_KEY));
    }

    private void stage(SimWork work) {
        if (closed) {
            throw new AssertionError("a queue pair is used after its connection was closed");
        }
        if (free() <= 0) {
            throw new AssertionError("more is staged than the send queue holds");
        }
        check(work);
        if (!work.isSend && work.length > 0 && work.length <= maxInline) {
            work.inline = new byte[0];
        }
        staged.add(work);
        if (postedCount + staged.size() - lastSignaled >= Math.max(1, depth / 4)) {
            work.signaled = true;
            lastSignaled = postedCount + staged.size();
        }
    }

    private void check(SimWork work) {
        if (work.length > network.maxMessage()) {
            throw new AssertionError(
                    work.length + " bytes in a message of at most " + network.maxMessage());
        }
        if (work.length1 > 0) {
            domain.checkLocal(work.key1, work.address1, work.length1, false);
        }
        if (work.length2 > 0) {
            domain.checkLocal(work.key2, work.address2, work.length2, false);
        }
    }

    @Override
    public long post(boolean signaled) {
        if (!staged.isEmpty()) {
            SimWork last = staged.getLast();
            if (signaled) {
                last.signaled = true;
                lastSignaled = postedCount + staged.size();
            }
            for (SimWork work : staged) {
                if (work.inline != null || network.completesAlone()) {
                    work.inline = null;
                    work.inline = work.read();
                }
            }
            posted.addAll(staged);
            postedCount += staged.size();
            staged.clear();
        }
        return postedCount;
    }

    @Override
    public long completed() {
        return completed;
    }

    @Override
    public long answered() {
        return network.completesAlone() ? answered : completed;
    }

    @Override
    public int poll(Handler handler) {
        if (closed) {
            throw new AssertionError("a queue pair is polled after its connection was closed");
        }
        if (network.pollsSettle()) {
            network.settle();
        }
        int count = 0;
        while (!arrived.isEmpty()) {
            byte[] message = arrived.poll();
            try (Arena arena = Arena.ofConfined()) {
                long address = arena.allocate(Math.max(8, message.length), 8).address();
                new UnsafeBuffer(address, message.length).putBytes(0, message);
                handler.onMessage(address, message.length);
            }
            count++;
        }
        if (visible > completed) {
            completed = visible;
            count++;
        }
        if (question > 0 && !cut && !peer.closed) {
            peer.answered = question;
            question = 0;
        }
        if (mustAsk && free() > 0 && staged.isEmpty()) {
            mustAsk = false;
            stageProbe();
            post(true);
        }
        if (failure != null && !failureTold) {
            failureTold = true;
            handler.onFailure(failure);
            count++;
        }
        return count;
    }

    /** Accepts nothing more from the peer. */
    void stop() {
        stopped = true;
    }

    // Events of the network

    /** Performs one event; false if there is none. */
    boolean step() {
        if (closed || cut && !network.completesAlone() || failure != null) {
            return false;
        }
        if (network.completesAlone()) {
            completable = completableAlone();
        }
        boolean canComplete = completable > visible;
        boolean canLand = canLand();
        if (canComplete && (!canLand || network.random().nextInt(8) == 0)) {
            visible = completable;
            return true;
        }
        if (canLand) {
            landOne();
        }
        return canLand;
    }

    private long completableAlone() {
        return Math.min(lastSignaled, landedCount + ON_ITS_WAY);
    }

    /** Whether a posted work request will complete without the peer. */
    boolean willComplete() {
        return completed < completableAlone();
    }

    private boolean canLand() {
        SimWork head = posted.peek();
        return head != null
                && !cut
                && !peer.closed
                && !peer.stopped
                && !peer.cut
                && (!head.isSend || peer.arrived.size() < peer.receiveDepth);
    }

    private void landOne() {
        SimWork head = network.overtakes() ? anyThatCanLand() : posted.peek();
        if (head.inline == null) {
            check(head);
        }
        if (head.isSend) {
            peer.arrived.add(network.tampered(head.read()));
            landed(head);
            return;
        }
        if (!head.isAllowed
                && head.length > 0
                && !peer.domain.allows(head.remoteKey, head.remoteAddress, head.length)) {
            String words =
                    "remote access error: key "
                            + head.remoteKey.value()
                            + " does not allow "
                            + head.length
                            + " bytes at "
                            + Long.toHexString(head.remoteAddress);
            if (!network.accessErrorsExpected()) {
                throw new AssertionError(words);
            }
            fail(words);
            return;
        }
        head.isAllowed = true;
        if (head.land(network.random())) {
            landed(head);
        }
    }

    /** The head, or one of the later writes up to the first that waits for all earlier ones. */
    private SimWork anyThatCanLand() {
        List<SimWork> writes = new ArrayList<>();
        for (SimWork work : posted) {
            if (work.isSend || work.length == 0) {
                break;
            }
            if (!work.hasLanded) {
                writes.add(work);
            }
        }
        return writes.isEmpty()
                ? posted.peek()
                : writes.get(network.random().nextInt(writes.size()));
    }

    private void landed(SimWork landed) {
        landed.hasLanded = true;
        while (!posted.isEmpty() && posted.peek().hasLanded) {
            SimWork work = posted.poll();
            landedCount++;
            if (work.signaled) {
                completable = landedCount;
            }
            if (work.asks) {
                peer.question = landedCount;
            }
        }
    }

    /** Work requests that have landed completely. */
    public long landedCount() {
        return landedCount;
    }

    /** Breaks the connection: both ends find out when they poll. */
    public void fail(String reason) {
        failEnd(reason);
        peer.failEnd("the other end failed");
    }

    private void failEnd(String reason) {
        if (failure == null && !closed) {
            failure = reason;
            leaveRemains();
            network.remove(this);
        }
    }

    /** Puts some posted requests in flight: their bytes have left, up to the first message. */
    private void leaveRemains() {
        int count = network.random().nextInt(4);
        while (remains.size() < count && !posted.isEmpty() && !posted.peek().isSend) {
            SimWork work = posted.poll();
            if (!work.hasLanded) {
                work.inline = work.read();
                remains.add(work);
            }
        }
        posted.clear();
        if (!remains.isEmpty()) {
            network.leaveRemains(this);
        }
    }

    /**
     * Lands a piece of the data in flight; returns false if it was the last piece, or if no memory
     * accepts it.
     */
    boolean landRemains() {
        SimWork head = remains.peek();
        boolean taken =
                head != null
                        && (network.closesLate() && !isCredit(head)
                                || !peer.closed
                                        && peer.domain.allows(
                                                head.remoteKey, head.remoteAddress, head.length));
        if (!taken) {
            remains.clear();
        } else if (head.land(network.random())) {
            remains.poll();
        }
        return !remains.isEmpty();
    }

    /** The slot is freed with its connection: later writes would land in memory of others. */
    private static boolean isCredit(SimWork work) {
        return work.length == CreditLine.WRITTEN_LENGTH;
    }

    /** Drops everything silently. */
    public void cut() {
        cut = true;
        peer.cut = true;
    }

    boolean isCut() {
        return cut;
    }

    /** Whether it is connected and has not failed. */
    public boolean isConnected() {
        return peer != null && failure == null && !closed && !peer.closed;
    }

    /** Cuts the connection silently. */
    public void cutIfConnected() {
        if (isConnected()) {
            cut();
        }
    }

    /** The other end. */
    public SimQueuePair peer() {
        return peer;
    }

    /** Sends messages as they are, as a hostile peer would. */
    public void inject(List<byte[]> messages) {
        peer.arrived.addAll(messages);
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        if (!closed) {
            closed = true;
            leaveRemains();
            network.remove(this);
            if (peer != null && !cut) {
                peer.failEnd("the peer's queue pair is gone: retries exceeded");
            }
        }
    }
}
