// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.channel.ChannelUri;

import java.util.ArrayList;
import java.util.List;

/**
 * The destinations that a publication or a subscription has, to be added again at the next driver.
 * An application knows one by the id under which it was added first. The client conductor's thread.
 */
public final class Destinations {
    private static final class Destination {
        private final long askedUnder;
        private final ChannelUri channel;
        private final boolean isSource;

        /** At the driver that there is. */
        private long id;

        private Destination(long id, ChannelUri channel, boolean isSource) {
            this.askedUnder = id;
            this.channel = channel;
            this.isSource = isSource;
            this.id = id;
        }
    }

    /** Sends a command, under an id that it makes. */
    public interface Sender {
        /**
         * @param change to be sent.
         * @return id of the command.
         */
        long send(DestinationChange change);
    }

    private final List<Destination> all = new ArrayList<>();

    /** None yet. */
    public Destinations() {}

    /** The driver has made a change that was asked for under an id. */
    public void onChanged(long id, DestinationChange change) {
        switch (change) {
            case DestinationChange.Add add -> all.add(new Destination(id, add.channel(), false));
            case DestinationChange.AddSource add ->
                    all.add(new Destination(id, add.channel(), true));
            case DestinationChange.Remove remove -> remove(remove.channel());
            case DestinationChange.RemoveSource remove -> remove(remove.channel());
            case DestinationChange.RemoveById remove ->
                    all.removeIf(each -> each.id == remove.destinationId());
        }
    }

    private void remove(ChannelUri channel) {
        all.removeIf(each -> each.channel.toString().equals(channel.toString()));
    }

    /** The driver that there is does not take a destination that was added again. */
    public void onRefused(long id) {
        all.removeIf(each -> each.id == id);
    }

    /** A change as the driver that there is knows it. */
    public DestinationChange now(DestinationChange change) {
        if (change instanceof DestinationChange.RemoveById remove) {
            for (Destination each : all) {
                if (each.askedUnder == remove.destinationId()) {
                    return new DestinationChange.RemoveById(remove.registrationId(), each.id);
                }
            }
        }
        return change;
    }

    /** Adds all again, to what the next driver knows under a registration id. */
    public void renew(long registrationId, Sender sender) {
        for (Destination each : all) {
            each.id =
                    sender.send(
                            each.isSource
                                    ? new DestinationChange.AddSource(registrationId, each.channel)
                                    : new DestinationChange.Add(registrationId, each.channel));
        }
    }
}
