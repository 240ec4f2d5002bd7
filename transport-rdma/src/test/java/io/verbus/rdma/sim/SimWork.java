// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RemoteKey;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Random;

/** A work request, and the part of it that has landed. */
final class SimWork {
    private static final int LINE = 64;
    private static final int MAX_PIECES = 6;

    final boolean isSend;
    final long address1;
    final int length1;
    final LocalKey key1;
    final long address2;
    final int length2;
    final LocalKey key2;
    final long remoteAddress;
    final RemoteKey remoteKey;
    final int length;
    boolean signaled;

    /** Whether the peer's keys permit it. */
    boolean isAllowed;

    /** Whether all of it has landed. */
    boolean hasLanded;

    /** Whether the peer must answer once it has landed. */
    boolean asks;

    byte[] inline;

    /** Bounds of the pieces that have not landed: from, to, from, to, … */
    private int[] bounds;

    private int pieces = -1;

    SimWork(
            boolean isSend,
            long address1,
            int length1,
            LocalKey key1,
            long address2,
            int length2,
            LocalKey key2,
            long remoteAddress,
            RemoteKey remoteKey) {
        this.isSend = isSend;
        this.address1 = address1;
        this.length1 = length1;
        this.key1 = key1;
        this.address2 = address2;
        this.length2 = length2;
        this.key2 = key2;
        this.remoteAddress = remoteAddress;
        this.remoteKey = remoteKey;
        this.length = length1 + length2;
    }

    /** Reads the local memory, as it is now. */
    byte[] read() {
        if (inline != null) {
            return inline;
        }
        byte[] bytes = new byte[length];
        read(0, length, bytes);
        return bytes;
    }

    private void read(int from, int to, byte[] bytes) {
        if (inline != null) {
            System.arraycopy(inline, from, bytes, 0, to - from);
            return;
        }
        int first = Math.max(0, Math.min(to, length1) - from);
        if (first > 0) {
            new UnsafeBuffer(address1 + from, first).getBytes(0, bytes, 0, first);
        }
        int rest = to - from - first;
        if (rest > 0) {
            new UnsafeBuffer(address2 + from + first - length1, rest)
                    .getBytes(0, bytes, first, rest);
        }
    }

    /** Lands one piece of a write; returns whether that was the last. */
    boolean land(Random random) {
        if (length == 0) {
            return true;
        }
        if (pieces < 0) {
            cut(random);
        }
        int chosen = random.nextInt(pieces);
        int from = bounds[2 * chosen];
        int to = bounds[2 * chosen + 1];
        byte[] bytes = new byte[to - from];
        read(from, to, bytes);
        new UnsafeBuffer(remoteAddress + from, to - from).putBytes(0, bytes);
        pieces--;
        bounds[2 * chosen] = bounds[2 * pieces];
        bounds[2 * chosen + 1] = bounds[2 * pieces + 1];
        return pieces == 0;
    }

    /** A write of at most a cache line lands in aligned words, a longer one in any pieces. */
    private void cut(Random random) {
        int grain = length <= LINE ? Long.BYTES : 1;
        int wanted = 1 + random.nextInt(MAX_PIECES);
        bounds = new int[2 * (wanted + 1)];
        pieces = 0;
        int from = 0;
        while (from < length) {
            int to = length;
            if (pieces < wanted - 1) {
                int skew = (int) (remoteAddress & (grain - 1));
                int cut = from + 1 + random.nextInt(length - from);
                to = Math.min(length, (cut + skew + grain - 1) / grain * grain - skew);
            }
            bounds[2 * pieces] = from;
            bounds[2 * pieces + 1] = to;
            pieces++;
            from = to;
        }
    }
}
