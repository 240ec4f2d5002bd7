// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.link.ReceiverCounters;
import io.verbus.udp.link.UdpOptions;

import java.util.concurrent.ThreadLocalRandom;

/**
 * When a gap of an image is asked for, or skipped: not before it can have been reordering, then
 * again and again, each time later. Receiver's thread.
 */
final class GapRecovery {
    private static final long MAX_GROUP_BACKOFF_NS = 10_000_000;
    private static final int MAX_BACKOFF = 8;
    private static final long NONE = -1;

    private final UdpOptions options;
    private final ReceiverCounters counters;
    private final LossTally losses;
    private final boolean isGroup;
    private long gapBegin = NONE;
    private long dueNs;
    private long intervalNs;
    private boolean isCounted;

    GapRecovery(UdpOptions options, ReceiverCounters counters, LossTally losses, boolean isGroup) {
        this.options = options;
        this.counters = counters;
        this.losses = losses;
        this.isGroup = isGroup;
    }

    /** Whether the gap that begins at a position has been open for long enough to act. */
    boolean isDue(long begin, long nowNs) {
        if (gapBegin != begin) {
            gapBegin = begin;
            isCounted = false;
            dueNs = nowNs + options.nakDelayNs() + backoffNs();
            intervalNs = options.nakRetryNs();
            return false;
        }
        return nowNs - dueNs >= 0;
    }

    /** Counts the gap that is due as a loss; false if it has been. */
    boolean isNewLoss(int length) {
        if (isCounted) {
            return false;
        }
        isCounted = true;
        counters.losses.incrementRelease();
        losses.add(length);
        return true;
    }

    /** The gap that is due has been asked for. */
    void asked(long nowNs) {
        dueNs = nowNs + intervalNs + backoffNs();
        intervalNs = Math.min(2 * intervalNs, MAX_BACKOFF * options.nakRetryNs());
    }

    /** Receivers of a group that miss the same wait apart: the first to ask serves all. */
    private long backoffNs() {
        return isGroup ? ThreadLocalRandom.current().nextLong(MAX_GROUP_BACKOFF_NS) : 0;
    }
}
