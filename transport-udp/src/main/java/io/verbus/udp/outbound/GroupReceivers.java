// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

/**
 * The receivers of a group that nobody waits for: a stream is connected until the last has left or
 * is silent. Receivers beyond the capacity are not told apart, and count until all are silent.
 * Sender's thread.
 */
final class GroupReceivers {
    static final int CAPACITY = 64;

    private final long timeoutNs;
    private final long[] ids = new long[CAPACITY];
    private final long[] times = new long[CAPACITY];
    private int count;

    /** When one beyond the capacity was heard last, if there was one. */
    private long otherNs;

    private boolean hasOthers;

    /**
     * @param timeoutNs after which a silent receiver is gone.
     */
    GroupReceivers(long timeoutNs) {
        this.timeoutNs = timeoutNs;
    }

    /** A status message of a receiver has come. */
    void heard(long receiverId, long nowNs) {
        int index = indexOf(receiverId);
        if (index == CAPACITY) {
            hasOthers = true;
            otherNs = nowNs;
            return;
        }
        if (index == count) {
            ids[count++] = receiverId;
        }
        times[index] = nowNs;
    }

    private int indexOf(long receiverId) {
        int index = 0;
        while (index < count && ids[index] != receiverId) {
            index++;
        }
        return index;
    }

    /** A receiver leaves. */
    void leave(long receiverId) {
        int index = indexOf(receiverId);
        if (index < count) {
            removeAt(index);
        }
    }

    /** Whether one is left, or was heard and has not been silent for too long. */
    boolean isAnyLeft(long nowNs) {
        for (int i = count - 1; i >= 0; i--) {
            if (nowNs - times[i] >= timeoutNs) {
                removeAt(i);
            }
        }
        hasOthers = hasOthers && nowNs - otherNs < timeoutNs;
        return count > 0 || hasOthers;
    }

    private void removeAt(int index) {
        count--;
        ids[index] = ids[count];
        times[index] = times[count];
    }
}
