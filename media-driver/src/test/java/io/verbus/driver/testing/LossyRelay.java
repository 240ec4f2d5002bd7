// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * Stands between a UDP publication and its subscription on the loopback device, and loses,
 * duplicates, reorders and delays datagrams in both directions. One thread at a time polls it;
 * {@link VerbusExtension#relay} has a thread that does.
 */
public final class LossyRelay implements AutoCloseable {
    private static final int MAX_HELD = 8;
    private static final int PER_POLL = 64;

    /**
     * Probabilities of the faults, and the longest delay.
     *
     * @param lost probability that a datagram is lost.
     * @param doubled probability that it is duplicated.
     * @param overtaken probability that later datagrams overtake it.
     * @param delayed probability that it is delayed.
     * @param delayMs longest delay in milliseconds.
     */
    public record Faults(
            double lost, double doubled, double overtaken, double delayed, int delayMs) {
        /** Passes each datagram on at once. */
        public static final Faults NONE = new Faults(0, 0, 0, 0, 0);

        /** Returns faults that lose a share of the datagrams, from 0 to 1. */
        public static Faults losing(double share) {
            return new Faults(share, 0, 0, 0, 0);
        }
    }

    private record Delayed(long dueNs, byte[] bytes, DatagramChannel out, SocketAddress to) {}

    private final Random random;
    private final Faults faults;
    private final PriorityQueue<Delayed> delayed =
            new PriorityQueue<>(Comparator.comparingLong(Delayed::dueNs));
    private final SocketAddress receiver;
    private final DatagramChannel front = open();
    private final DatagramChannel back = open();
    private final Deque<byte[]> heldForward = new ArrayDeque<>();
    private final Deque<byte[]> heldBackward = new ArrayDeque<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
    private volatile long constantDelayNs;
    private SocketAddress sender;
    private volatile int lost; // written by the polling thread only

    /**
     * @param seed seed of the faults.
     * @param fault probability of each of loss, duplication and reordering.
     * @param receiverPort port of the subscription on the loopback device.
     */
    public LossyRelay(long seed, double fault, int receiverPort) {
        this(seed, new Faults(fault, fault, fault, 0, 0), receiverPort);
    }

    /**
     * @param seed seed of the faults.
     * @param faults probabilities of the faults.
     * @param receiverPort port of the subscription on the loopback device.
     */
    public LossyRelay(long seed, Faults faults, int receiverPort) {
        System.out.println("LossyRelay seed " + seed);
        random = new Random(seed);
        this.faults = faults;
        receiver = new InetSocketAddress(InetAddress.getLoopbackAddress(), receiverPort);
    }

    private static DatagramChannel open() {
        try {
            DatagramChannel channel = DatagramChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channel.configureBlocking(false);
            return channel;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Delays every datagram from now on by the same time, in each direction. */
    public void delay(long ns) {
        constantDelayNs = ns;
    }

    /** Returns the port to publish to, on the loopback device. */
    public int port() {
        return front.socket().getLocalPort();
    }

    /** Returns the number of datagrams that were lost. Any thread. */
    public int lost() {
        return lost;
    }

    /** Passes on datagrams that have arrived or are due. */
    public void poll() {
        try {
            for (int i = 0; i < PER_POLL; i++) {
                SocketAddress from = receive(front);
                if (from == null) {
                    break;
                }
                sender = from;
                pass(heldForward, back, receiver);
            }
            for (int i = 0; i < PER_POLL; i++) {
                if (receive(back) == null) {
                    break;
                }
                pass(heldBackward, front, sender);
            }
            while (!delayed.isEmpty() && delayed.peek().dueNs() - System.nanoTime() <= 0) {
                Delayed due = delayed.remove();
                due.out().send(ByteBuffer.wrap(due.bytes()), due.to());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SocketAddress receive(DatagramChannel channel) throws IOException {
        buffer.clear();
        SocketAddress from = channel.receive(buffer);
        buffer.flip();
        return from;
    }

    private void pass(Deque<byte[]> held, DatagramChannel out, SocketAddress to)
            throws IOException {
        if (random.nextDouble() < faults.lost()) {
            lost = lost + 1;
            return;
        }
        if (constantDelayNs > 0) {
            delayed.add(new Delayed(System.nanoTime() + constantDelayNs, copy(), out, to));
            return;
        }
        if (random.nextDouble() < faults.delayed()) {
            long dueNs = System.nanoTime() + random.nextLong(faults.delayMs() * 1_000_000L);
            delayed.add(new Delayed(dueNs, copy(), out, to));
            return;
        }
        if (random.nextDouble() < faults.overtaken() && held.size() < MAX_HELD) {
            held.add(copy());
            return;
        }
        out.send(buffer, to);
        if (random.nextDouble() < faults.doubled()) {
            buffer.rewind();
            out.send(buffer, to);
        }
        if (!held.isEmpty() && random.nextInt(4) == 0) {
            out.send(ByteBuffer.wrap(held.remove()), to);
        }
    }

    private byte[] copy() {
        byte[] copy = new byte[buffer.remaining()];
        buffer.get(copy);
        return copy;
    }

    @Override
    public void close() throws IOException {
        front.close();
        back.close();
    }
}
