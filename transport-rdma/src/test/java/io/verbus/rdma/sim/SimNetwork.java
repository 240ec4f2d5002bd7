// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * The network between simulated fabrics. Deterministic: all random values come from the seed.
 *
 * <p>Promises what a reliable connection promises, and nothing else:
 *
 * <ul>
 *   <li>The bytes of a work request land in any order, in pieces of any size, with any delay
 *       between them. Only an aligned word of a write of at most one cache line lands at once.
 *   <li>Nothing of a work request lands before all of the one posted before it on the same queue
 *       pair has.
 *   <li>A completion is seen some time after the work request was carried out, together with
 *       others.
 *   <li>A queue pair that fails leaves a prefix of its work requests carried out, and possibly part
 *       of the next. What is on its way then may go on landing until the other end is closed.
 * </ul>
 *
 * <p>{@link #overtake} takes the second promise back.
 *
 * <p>Local memory is read when it is sent, not when it is posted, but for what is inline.
 */
public final class SimNetwork {
    private static final int SOON = 4;
    private static final int LATE = 20;

    private final Random random;
    private final List<SimQueuePair> queuePairs = new ArrayList<>();

    /** Ends that have failed or are closed, but still have writes in flight. */
    private final List<SimQueuePair> remains = new ArrayList<>();

    private final Map<InetSocketAddress, SimListener> listeners = new HashMap<>();
    private int nextKey = 1;
    private int nextPort = 40_000;
    private boolean accessErrorsExpected;
    private boolean instant;
    private boolean pollsSettle;
    private boolean closesLate;
    private boolean completesAlone;
    private boolean overtakes;
    private int maxMessage = 1 << 30;
    private boolean isWireCut;
    private UnaryOperator<byte[]> tampering = UnaryOperator.identity();
    private UnaryOperator<byte[]> hellos = UnaryOperator.identity();
    private int connections;

    public SimNetwork(long seed) {
        random = new Random(seed);
    }

    /** Creates the fabric of one host. */
    public SimFabric fabric(String hostAddress) {
        return new SimFabric(this, hostAddress);
    }

    /** Creates a pair of connected queue pairs without a handshake. */
    public SimQueuePair[] pair(SimDomain a, SimDomain b, int depth, int maxInline) {
        SimQueuePair left = new SimQueuePair(this, a, depth, maxInline, 16);
        SimQueuePair right = new SimQueuePair(this, b, depth, maxInline, 16);
        left.connect(right);
        return new SimQueuePair[] {left, right};
    }

    /**
     * Performs one event: a piece of a work request lands, or completions become visible. @return
     * whether there was an event to perform.
     */
    public boolean step() {
        if (!remains.isEmpty() && random.nextInt(closesLate ? LATE : SOON) == 0) {
            SimQueuePair remain = remains.get(random.nextInt(remains.size()));
            if (!remain.landRemains()) {
                remains.remove(remain);
            }
            return true;
        }
        int count = queuePairs.size();
        if (count == 0) {
            return false;
        }
        int first = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            if (queuePairs.get((first + i) % count).step()) {
                return true;
            }
        }
        return false;
    }

    /** Delivers everything in flight. */
    public void settle() {
        while (step()) {
            continue;
        }
    }

    /** A write outside what a key allows fails its connection instead of the test. */
    public void expectAccessErrors() {
        accessErrorsExpected = true;
    }

    /** Connections that were ever established. */
    public int connections() {
        return connections;
    }

    void established() {
        connections++;
    }

    /** Number of connected queue pairs. */
    public int queuePairs() {
        return queuePairs.size();
    }

    /** A connected queue pair. */
    public SimQueuePair queuePair(int index) {
        return queuePairs.get(index);
    }

    /** Makes everything staged land and complete immediately, without allocation. */
    public void beInstant() {
        settle();
        instant = true;
    }

    /** Whether polling delivers everything: a closing driver waits for its peers. */
    public void settleWhenPolled(boolean settle) {
        pollsSettle = settle;
    }

    boolean pollsSettle() {
        return pollsSettle;
    }

    /** Breaks the guarantee of {@code close()}: writes in flight still land afterwards. */
    public void closeLate() {
        closesLate = true;
    }

    /**
     * Lets requests complete locally before they land, so that only a probe reports on the peer, as
     * over iWARP.
     */
    public void completeAlone() {
        completesAlone = true;
    }

    /**
     * Lets writes land before earlier ones, as on adapters that place out of order; messages and
     * empty writes still follow all earlier writes, and completions stay in order.
     */
    public void overtake() {
        overtakes = true;
    }

    boolean overtakes() {
        return overtakes;
    }

    /** Maximum bytes of a message, for queue pairs created from now on. */
    public void maxMessage(int bytes) {
        maxMessage = bytes;
    }

    int maxMessage() {
        return maxMessage;
    }

    boolean completesAlone() {
        return completesAlone;
    }

    /** Cuts all connections silently; nothing can connect until {@link #restoreWire}. */
    public void cutWire() {
        isWireCut = true;
        List.copyOf(queuePairs).forEach(SimQueuePair::cutIfConnected);
    }

    public void restoreWire() {
        isWireCut = false;
    }

    boolean isWireCut() {
        return isWireCut;
    }

    /** Alters every message in flight. */
    public void tamper(UnaryOperator<byte[]> alteration) {
        tampering = alteration;
    }

    byte[] tampered(byte[] message) {
        return tampering.apply(message);
    }

    /** Alters the private data of connection requests and answers, padded as it arrives. */
    public void tamperHellos(UnaryOperator<byte[]> alteration) {
        hellos = alteration;
    }

    byte[] tamperedHello(byte[] hello) {
        return hellos.apply(hello);
    }

    boolean closesLate() {
        return closesLate;
    }

    void leaveRemains(SimQueuePair queuePair) {
        if (!remains.contains(queuePair)) {
            remains.add(queuePair);
        }
    }

    boolean isInstant() {
        return instant;
    }

    boolean accessErrorsExpected() {
        return accessErrorsExpected;
    }

    Random random() {
        return random;
    }

    int nextKey() {
        return nextKey++;
    }

    int nextPort() {
        return nextPort++;
    }

    void add(SimQueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    void remove(SimQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    Map<InetSocketAddress, SimListener> listeners() {
        return listeners;
    }
}
