// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.channel.ChannelUri;

/** A change of the destinations of a publication or a subscription. */
public sealed interface DestinationChange {
    /** Returns the registration id of the publication or subscription. */
    long registrationId();

    /** Returns a description of the change that reads well after "to". */
    String words();

    /** Adds a destination to a publication. */
    record Add(long registrationId, ChannelUri channel) implements DestinationChange {
        @Override
        public String words() {
            return "add the destination '" + channel + "'";
        }
    }

    /** Removes a destination from a publication. */
    record Remove(long registrationId, ChannelUri channel) implements DestinationChange {
        @Override
        public String words() {
            return "remove the destination '" + channel + "'";
        }
    }

    /** Removes the destination that the command with the given id has added to a publication. */
    record RemoveById(long registrationId, long destinationId) implements DestinationChange {
        @Override
        public String words() {
            return "remove destination " + destinationId;
        }
    }

    /** Adds a destination to a subscription. */
    record AddSource(long registrationId, ChannelUri channel) implements DestinationChange {
        @Override
        public String words() {
            return "add the destination '" + channel + "' to a subscription";
        }
    }

    /** Removes a destination from a subscription. */
    record RemoveSource(long registrationId, ChannelUri channel) implements DestinationChange {
        @Override
        public String words() {
            return "remove the destination '" + channel + "' from a subscription";
        }
    }
}
