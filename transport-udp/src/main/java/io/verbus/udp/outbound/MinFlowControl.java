// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Flow control by the slowest receiver of a group, so that none falls behind. Receivers beyond the
 * capacity are ignored. Nothing is sent until the group has its minimum size. Used by the sender's
 * thread only.
 */
class MinFlowControl implements FlowControl {
    static final int CAPACITY = 64;

    private final long timeoutNs;
    private final long silenceNs;
    private final int groupSize;
    private final AtomicCounter receivers;
    private final long[] ids = new long[CAPACITY];
    private final long[] positions = new long[CAPACITY];
    private final long[] limits = new long[CAPACITY];
    private final long[] times = new long[CAPACITY];
    private int count;
    private long heardNs;
    private long consumed;
    private long limit;

    /**
     * @param position start position of the stream.
     * @param timeoutNs silence after which a receiver is dropped.
     * @param silenceNs silence of all receivers after which the stream is not connected.
     * @param groupSize minimum number of receivers, at least one.
     * @param receivers counter of receivers; closed with this object.
     */
    MinFlowControl(
            long position, long timeoutNs, long silenceNs, int groupSize, AtomicCounter receivers) {
        this.groupSize = groupSize;
        this.timeoutNs = timeoutNs;
        this.silenceNs = silenceNs;
        this.receivers = receivers;
        consumed = position;
        limit = position;
    }

    @Override
    public void onStatus(long position, int window, long receiverId, long nowNs) {
        int index = 0;
        while (index < count && ids[index] != receiverId) {
            index++;
        }
        if (index == CAPACITY) {
            return;
        }
        if (index == count) {
            count++;
            receivers.setRelease(count);
            ids[index] = receiverId;
            positions[index] = position;
            limits[index] = position;
        }
        // Reordered messages must not lower the limit.
        positions[index] = Math.max(positions[index], position);
        limits[index] = Math.max(limits[index], position + window);
        times[index] = nowNs;
        heardNs = nowNs;
        decide();
    }

    @Override
    public void onLeave(long receiverId) {
        for (int i = count - 1; i >= 0; i--) {
            if (ids[i] == receiverId) {
                remove(i);
            }
        }
        decide();
    }

    @Override
    public boolean hasReceivers(long nowNs) {
        boolean changed = false;
        for (int i = count - 1; i >= 0; i--) {
            if (nowNs - times[i] >= timeoutNs) {
                remove(i);
                changed = true;
            }
        }
        if (changed) {
            decide();
        }
        return count >= groupSize && nowNs - heardNs < silenceNs;
    }

    private void remove(int index) {
        count--;
        receivers.setRelease(count);
        ids[index] = ids[count];
        positions[index] = positions[count];
        limits[index] = limits[count];
        times[index] = times[count];
    }

    private void decide() {
        if (count == 0) {
            return;
        }
        long position = Long.MAX_VALUE;
        long bound = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            position = Math.min(position, positions[i]);
            bound = Math.min(bound, limits[i]);
        }
        consumed = Math.max(consumed, position);
        limit = Math.max(bound, consumed);
    }

    @Override
    public long consumed() {
        return consumed;
    }

    @Override
    public long limit() {
        return limit;
    }

    @Override
    public void close() {
        receivers.close();
    }
}
