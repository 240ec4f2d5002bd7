// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

/**
 * Receivers of a group without back pressure: a stream is connected until the last receiver has
 * left or fallen silent. Receivers beyond the capacity are not distinguished, and are considered
 * present until all of them are silent. Used by the sender's thread only.
 */
final class GroupReceivers {
    static final int CAPACITY = 64;

    private final long timeoutNs;
    private final long[] ids = new long[CAPACITY];
    private final long[] times = new long[CAPACITY];
    private int count;

    /** Time of the last status message from a receiver beyond the capacity, if any. */
    private long otherNs;

    private boolean hasOthers;

    /**
     * @param timeoutNs silence after which a receiver is considered gone.
     */
    GroupReceivers(long timeoutNs) {
        this.timeoutNs = timeoutNs;
    }

    /** Records a status message. */
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

    /** Removes a receiver. */
    void leave(long receiverId) {
        int index = indexOf(receiverId);
        if (index < count) {
            removeAt(index);
        }
    }

    /** Returns whether any receiver is left that has not been silent for too long. */
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
