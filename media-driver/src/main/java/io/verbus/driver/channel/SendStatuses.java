// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The status of each place that publications send to: one for all that send there. A publication
 * with destinations of its own has one of its own. Conductor's thread.
 */
public final class SendStatuses {
    private record Entry(ChannelUri channel, ChannelStatus status) {}

    private final DriverCounters counters;
    private final Shares shares;
    private final List<Entry> all = new ArrayList<>();

    /**
     * @param shares of clients, in which places count.
     */
    public SendStatuses(DriverCounters counters, Shares shares) {
        this.counters = counters;
        this.shares = shares;
    }

    /**
     * A publication sends to the place of a channel.
     *
     * @param sender whose share a new place counts in.
     * @throws CommandException if there is no counter left, or the client has too many places.
     */
    public ChannelStatus enter(DriverCounters.Registration sender, ChannelUri channel) {
        for (Entry each : all) {
            if (isShared(each.channel, channel)) {
                each.status.enter();
                return each.status;
            }
        }
        ChannelStatus status = ChannelStatus.sending(counters, shares, sender, channel.toString());
        all.add(new Entry(channel, status));
        return status;
    }

    private static boolean isShared(ChannelUri existing, ChannelUri channel) {
        return SamePlace.of(existing, channel)
                && Objects.equals(existing.localInterface(), channel.localInterface())
                && Objects.equals(existing.tags().place(), channel.tags().place())
                && (!channel.isManual() || channel.tags().place().isPresent());
    }

    /** A publication sends to a place no more. */
    public void leave(ChannelStatus status) {
        if (status.leave()) {
            all.removeIf(each -> each.status == status);
        }
    }
}
