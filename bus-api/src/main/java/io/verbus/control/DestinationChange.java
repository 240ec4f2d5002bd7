// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.channel.ChannelUri;

/** A change to where a publication is sent, or to where a subscription receives. */
public sealed interface DestinationChange {
    /** Of the publication or subscription. */
    long registrationId();

    /** What is to be done, in words that follow "to". */
    String words();

    /** A publication is sent there, too. */
    record Add(long registrationId, ChannelUri channel) implements DestinationChange {
        @Override
        public String words() {
            return "add the destination '" + channel + "'";
        }
    }

    /** A publication is sent there no more. */
    record Remove(long registrationId, ChannelUri channel) implements DestinationChange {
        @Override
        public String words() {
            return "remove the destination '" + channel + "'";
        }
    }

    /** A publication is not sent any more where an add of this id has led it. */
    record RemoveById(long registrationId, long destinationId) implements DestinationChange {
        @Override
        public String words() {
            return "remove destination " + destinationId;
        }
    }

    /** A subscription receives there, too. */
    record AddSource(long registrationId, ChannelUri channel) implements DestinationChange {
        @Override
        public String words() {
            return "add the destination '" + channel + "' to a subscription";
        }
    }

    /** A subscription receives there no more. */
    record RemoveSource(long registrationId, ChannelUri channel) implements DestinationChange {
        @Override
        public String words() {
            return "remove the destination '" + channel + "' from a subscription";
        }
    }
}
