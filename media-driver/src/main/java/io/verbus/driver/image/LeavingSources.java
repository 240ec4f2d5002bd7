// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import io.verbus.driver.agent.Mergers;

import org.agrona.collections.ArrayUtil;

/** Removed sources of a merged image, which the receiver may still use. */
final class LeavingSources {
    /**
     * A removed source.
     *
     * @param isReplaced whether the source continues in another log.
     */
    private record Leaving(MergedSource source, long removal, boolean isReplaced) {}

    private final Mergers mergers;
    private Leaving[] all = {};

    LeavingSources(Mergers mergers) {
        this.mergers = mergers;
    }

    /** Adds a source that was removed just now. */
    void add(MergedSource source, boolean isReplaced) {
        all = ArrayUtil.add(all, new Leaving(source, mergers.removed(), isReplaced));
    }

    /** Removes the images of the sources that the receiver no longer uses; returns how many. */
    int work() {
        int work = 0;
        for (Leaving each : all) {
            if (mergers.isReleased(each.removal)) {
                each.source.leave();
                if (each.source.isGone()) {
                    if (!each.isReplaced) {
                        each.source.closeCounters();
                    }
                    all = ArrayUtil.remove(all, each);
                    work++;
                }
            }
        }
        return work;
    }

    boolean isEmpty() {
        return all.length == 0;
    }
}
