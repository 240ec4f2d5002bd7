// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import java.util.EnumMap;
import java.util.Map;

/**
 * Limits on the driver resources that clients use.
 *
 * @param percent percentage of each total that one client may use.
 * @param totals limits for all clients together.
 */
public record ShareLimits(int percent, Map<Share, Long> totals) {
    public ShareLimits {
        totals = Map.copyOf(totals);
    }

    /** Returns the limit for all clients together; no limit if no total is set. */
    long total(Share share) {
        return totals.getOrDefault(share, Long.MAX_VALUE);
    }

    /** Returns the limit for one client: its percentage of the total, but at least one. */
    long ofClient(Share share) {
        long total = total(share);
        return total == Long.MAX_VALUE
                ? total
                : Math.max(1, total / 100 * percent + total % 100 * percent / 100);
    }

    /** Returns these limits with a different total for one share. */
    public ShareLimits with(Share share, long total) {
        Map<Share, Long> all = new EnumMap<>(Share.class);
        all.putAll(totals);
        all.put(share, total);
        return new ShareLimits(percent, all);
    }
}
