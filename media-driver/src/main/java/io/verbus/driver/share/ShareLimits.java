// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import java.util.EnumMap;
import java.util.Map;

/**
 * How much clients may make the driver hold.
 *
 * @param percent of each total that one client may have.
 * @param totals that all clients together may have.
 */
public record ShareLimits(int percent, Map<Share, Long> totals) {
    public ShareLimits {
        totals = Map.copyOf(totals);
    }

    /** What all clients together may have; without bound where no total is set. */
    long total(Share share) {
        return totals.getOrDefault(share, Long.MAX_VALUE);
    }

    /** What one client may have: something, and never all where there is more than one. */
    long ofClient(Share share) {
        long total = total(share);
        return total == Long.MAX_VALUE
                ? total
                : Math.max(1, total / 100 * percent + total % 100 * percent / 100);
    }

    /** These limits with the total of one share. */
    public ShareLimits with(Share share, long total) {
        Map<Share, Long> all = new EnumMap<>(Share.class);
        all.putAll(totals);
        all.put(share, total);
        return new ShareLimits(percent, all);
    }
}
