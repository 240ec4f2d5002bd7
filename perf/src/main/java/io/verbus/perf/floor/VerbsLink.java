// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.Provision;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.rdma.verbs.VerbsException;
import io.verbus.rdma.verbs.VerbsFabric;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One end of an RDMA connection, with memory that the other end writes. Memory of each end:
 *
 * <pre>
 *   +--------------------------------------------------+
 *   | address, rkey of the other end's memory, check   |  0      written by the other end
 *   +--------------------------------------------------+
 *   | count of messages consumed by the other end      |  64     written by the other end
 *   +--------------------------------------------------+
 *   | this end's address and rkey, check               |  128    source of a write to the other end
 *   +--------------------------------------------------+
 *   | slot 0 ... slot 1023                             |  4096   written by the other end
 *   +--------------------------------------------------+
 *   | slot 0 ... slot 1023                             |         source of this end's writes
 *   +--------------------------------------------------+
 * </pre>
 *
 * <p>Used by one thread.
 */
final class VerbsLink implements FabricHandler, QueuePair.Handler, Provision, AutoCloseable {
    /** Maximum number of messages in flight; a power of two. */
    static final int SLOTS = 1024;

    private static final int PEER = 0;
    private static final int CONSUMED = 64;
    private static final int OWN = 128;
    private static final int INBOUND = 4096;

    /** Length of the private data: address and remote key of an end's memory. */
    private static final int MEMORY_LENGTH = Long.BYTES + Integer.BYTES;

    /** Number of idle polls between checks for completions and events; a power of two. */
    private static final int POLLS_PER_CHECK = 1024;

    private final boolean isInTwo;
    private final int length;
    private final int stride;
    private final int outbound;
    private final UnsafeBuffer memory;
    private final VerbsFabric fabric = VerbsFabric.open(VerbsException::rethrowUnlessWarning);
    private Connection connection;
    private QueuePair queuePair;
    private RegisteredMemory region;
    private long remoteAddress;
    private RemoteKey remoteKey;
    private int idlePolls;

    /**
     * @param length message length in bytes, a multiple of 8.
     * @param isInTwo whether a message takes two work requests, with its first word written last,
     *     as on a bus; otherwise one work request, and the receiver polls the last word.
     */
    private VerbsLink(int length, boolean isInTwo) {
        this.length = length;
        this.isInTwo = isInTwo;
        stride = BitUtil.align(length, BitUtil.CACHE_LINE_LENGTH);
        outbound = INBOUND + SLOTS * stride;
        int size = outbound + SLOTS * stride;
        memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(size, INBOUND));
    }

    /** Listens for the other end at a local address. */
    static VerbsLink listen(InetSocketAddress local, int length, boolean isInTwo) {
        VerbsLink link = new VerbsLink(length, isInTwo);
        Listener listener = link.fabric.listen(local, ConnectionOptions.DEFAULT);
        while (!listener.opened().isDone()) {
            link.fabric.poll(link, System.nanoTime());
            Thread.onSpinWait();
        }
        if (listener.refusal() != null) {
            throw listener.refusal();
        }
        return link;
    }

    /** Starts connecting to the other end. */
    static VerbsLink connect(
            InetSocketAddress local, InetSocketAddress remote, int length, boolean isInTwo) {
        VerbsLink link = new VerbsLink(length, isInTwo);
        link.connection =
                link.fabric.connect(
                        remote, local, ConnectionOptions.DEFAULT, null, new byte[0], link);
        return link;
    }

    /** Returns whether the other end can be written to; advances the handshake. */
    boolean isConnected() {
        if (remoteKey != null) {
            return true;
        }
        fabric.poll(this, System.nanoTime());
        if (queuePair != null && remoteKey == null) {
            long address = memory.getLongVolatile(PEER);
            long key = memory.getLongVolatile(PEER + Long.BYTES);
            if (memory.getLongVolatile(PEER + 2 * Long.BYTES) == ~(address ^ key)) {
                remoteAddress = address;
                remoteKey = new RemoteKey((int) key);
            }
        }
        return remoteKey != null;
    }

    /** Returns the offset in {@link #memory} of an inbound message. */
    private int inbound(long number) {
        return INBOUND + (int) (number & (SLOTS - 1)) * stride;
    }

    /** Returns the offset in {@link #memory} at which an outbound message is prepared. */
    private int outbound(long number) {
        return outbound + (int) (number & (SLOTS - 1)) * stride;
    }

    /**
     * Returns the offset, within a message, of the word that marks it as complete; it holds the
     * message number plus one.
     */
    private int wordOffset() {
        return isInTwo ? 0 : length - Long.BYTES;
    }

    /**
     * Returns the offset, within a message, of the word that shows that the value is in place too,
     * because an adapter need not place the bytes of a write, or two writes, in their order.
     */
    private int checkOffset() {
        return isInTwo ? 2 * Long.BYTES : 0;
    }

    /**
     * Returns whether a message has arrived.
     *
     * @throws IllegalStateException if the connection failed. Only its completion reveals that a
     *     write failed, so this method also checks completions occasionally.
     */
    boolean hasArrived(long number) {
        int at = inbound(number);
        if (memory.getLongAcquire(at + wordOffset()) == number + 1
                && memory.getLong(at + checkOffset()) == check(number, value(number))) {
            return true;
        }
        checkWhileIdle();
        return false;
    }

    /** Returns the value of a message that has arrived. */
    long value(long number) {
        return memory.getLong(inbound(number) + Long.BYTES);
    }

    /** Returns a word that differs from the one of the message that had the slot before. */
    private static long check(long number, long value) {
        return ~(Long.rotateLeft(number, Integer.SIZE) ^ value);
    }

    /** Writes a message to the other end; returns false if the send queue is full. */
    boolean write(long number, long value) {
        if (queuePair.free() < 2) {
            queuePair.poll(this);
            if (queuePair.free() < 2) {
                return false;
            }
        }
        int at = outbound(number);
        memory.putLong(at + Long.BYTES, value);
        memory.putLong(at + checkOffset(), check(number, value));
        memory.putLong(at + wordOffset(), number + 1);
        long remote = remoteAddress + inbound(number);
        if (isInTwo) {
            stage(at + Long.BYTES, length - Long.BYTES, remote + Long.BYTES);
            stage(at, Long.BYTES, remote);
        } else {
            stage(at, length, remote);
        }
        queuePair.post(false);
        return true;
    }

    private void stage(int at, int bytes, long remote) {
        queuePair.stageWrite(region.address() + at, bytes, region.localKey(), remote, remoteKey);
    }

    private void checkWhileIdle() {
        if ((++idlePolls & (POLLS_PER_CHECK - 1)) == 0 && remoteKey != null) {
            queuePair.poll(this);
            fabric.poll(this, System.nanoTime());
        }
    }

    /** Returns the number of messages that the other end has consumed. */
    long consumed() {
        checkWhileIdle();
        return memory.getLongAcquire(CONSUMED);
    }

    /** Reports to the other end how many messages this end has consumed. */
    void tellConsumed(long count) {
        if (queuePair.free() < 2) {
            queuePair.poll(this);
        }
        int at = outbound(count);
        memory.putLong(at, count);
        stage(at, Long.BYTES, remoteAddress + CONSUMED);
        queuePair.post(false);
    }

    @Override
    public void register(Domain domain) {
        region = domain.register(memory.addressOffset(), memory.capacity(), Access.REMOTE_WRITE);
    }

    @Override
    public void release() {
        region.close();
    }

    private byte[] describeMemory() {
        return ByteBuffer.allocate(MEMORY_LENGTH)
                .order(ByteOrder.nativeOrder())
                .putLong(region.address())
                .putInt(region.remoteKey().value())
                .array();
    }

    @Override
    public void onConnectRequest(
            Listener listener,
            Connection request,
            InetSocketAddress remoteEnd,
            byte[] privateData) {
        connection = request;
        request.accept(this::describeMemory, this);
    }

    @Override
    public void onEstablished(Connection established, byte[] privateData) {
        queuePair = established.queuePair();
        if (privateData.length < MEMORY_LENGTH) {
            return; // the accepting end receives the keys through its memory
        }
        ByteBuffer peerMemory = ByteBuffer.wrap(privateData).order(ByteOrder.nativeOrder());
        remoteAddress = peerMemory.getLong();
        remoteKey = new RemoteKey(peerMemory.getInt());
        memory.putLong(OWN, region.address());
        memory.putLong(OWN + Long.BYTES, region.remoteKey().value());
        memory.putLong(OWN + 2 * Long.BYTES, ~(region.address() ^ region.remoteKey().value()));
        stage(OWN, 3 * Long.BYTES, remoteAddress + PEER);
        queuePair.post(true);
    }

    @Override
    public void onEnded(Connection ended, Cause cause, String reason, byte[] privateData) {
        throw new IllegalStateException("the connection was closed: " + reason);
    }

    @Override
    public void onMessage(long address, int bytes) {
        throw new IllegalStateException("unexpected message of " + bytes + " bytes");
    }

    @Override
    public void onFailure(String reason) {
        throw new IllegalStateException("the queue pair failed: " + reason);
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
        }
        fabric.close();
    }
}
