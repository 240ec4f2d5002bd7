// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

/**
 * Flow control by the fastest receiver: for single receivers, and for groups whose slower receivers
 * may fall behind. Used by the sender's thread only.
 */
final class MaxFlowControl implements FlowControl {
    private final long timeoutNs;

    /** Receivers of a group; null for one receiver at a time. */
    private final GroupReceivers group;

    private long consumed;
    private long limit;
    private long lastId;
    private long lastNs;
    private boolean heard;

    MaxFlowControl(long position, long timeoutNs, boolean isGroup) {
        this.timeoutNs = timeoutNs;
        group = isGroup ? new GroupReceivers(timeoutNs) : null;
        consumed = position;
        limit = position;
    }

    @Override
    public void onStatus(long position, int window, long receiverId, long nowNs) {
        boolean isKnown = group != null || heard && receiverId == lastId;
        if (group == null) {
            heard = true;
            lastId = receiverId;
            lastNs = nowNs;
        } else {
            group.heard(receiverId, nowNs);
        }
        consumed = Math.max(consumed, position);
        // Reordered messages must not lower the limit, but a new receiver may have a smaller
        // window.
        limit = Math.max(isKnown ? limit : consumed, position + window);
    }

    @Override
    public void onLeave(long receiverId) {
        if (group != null) {
            group.leave(receiverId);
        } else if (receiverId == lastId) {
            heard = false;
        }
    }

    @Override
    public boolean hasReceivers(long nowNs) {
        if (group != null) {
            return group.isAnyLeft(nowNs);
        }
        heard &= nowNs - lastNs < timeoutNs;
        return heard;
    }

    @Override
    public long consumed() {
        return consumed;
    }

    @Override
    public long limit() {
        return limit;
    }
}
