// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Channel status of each address that publications send to; all publications that send there share
 * it. A publication with its own destinations has its own status. Used by the conductor's thread.
 */
public final class SendStatuses {
    private record Entry(ChannelUri channel, ChannelStatusIndicator status) {}

    private final DriverCounters counters;
    private final Shares shares;
    private final List<Entry> all = new ArrayList<>();

    /**
     * @param shares clients' shares, in which addresses count.
     */
    public SendStatuses(DriverCounters counters, Shares shares) {
        this.counters = counters;
        this.shares = shares;
    }

    /**
     * Adds a publication that sends to the channel's address.
     *
     * @param sender sender whose client is charged for a new address.
     * @throws io.verbus.BusException if there is no counter left, or the client has too many
     *     addresses.
     */
    public ChannelStatusIndicator enter(DriverCounters.Registration sender, ChannelUri channel) {
        for (Entry each : all) {
            if (isShared(each.channel, channel)) {
                each.status.enter();
                return each.status;
            }
        }
        ChannelStatusIndicator status =
                ChannelStatusIndicator.sending(counters, shares, sender, channel.toString());
        all.add(new Entry(channel, status));
        return status;
    }

    private static boolean isShared(ChannelUri existing, ChannelUri channel) {
        return SamePlace.of(existing, channel)
                && Objects.equals(existing.localInterface(), channel.localInterface())
                && Objects.equals(existing.tags().place(), channel.tags().place())
                && (!channel.isManual() || channel.tags().place().isPresent());
    }

    /** Removes a publication from an address. */
    public void leave(ChannelStatusIndicator status) {
        if (status.leave()) {
            all.removeIf(each -> each.status == status);
        }
    }
}
