// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.channel.ChannelUri;

import java.util.ArrayList;
import java.util.List;

/**
 * The destinations of a publication or a subscription, which are added again at the next driver.
 * The application identifies a destination by the id of its first addition. Used by the client
 * conductor's thread only.
 */
public final class Destinations {
    private static final class Destination {
        private final long askedUnder;
        private final ChannelUri channel;
        private final boolean isSource;

        /** Id at the current driver. */
        private long id;

        private Destination(long id, ChannelUri channel, boolean isSource) {
            this.askedUnder = id;
            this.channel = channel;
            this.isSource = isSource;
            this.id = id;
        }
    }

    /** Sends a command with a new id. */
    public interface Sender {
        /**
         * @param change change to send.
         * @return id of the command.
         */
        long send(DestinationChange change);
    }

    private final List<Destination> all = new ArrayList<>();

    /** Creates an empty set. */
    public Destinations() {}

    /** Records a change that the driver has made in answer to the command with an id. */
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

    /** Removes a destination that the current driver rejected when it was added again. */
    public void onRefused(long id) {
        all.removeIf(each -> each.id == id);
    }

    /** Translates the ids of a change for the current driver. */
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

    /** Adds all destinations again, under the registration id that the next driver has assigned. */
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
