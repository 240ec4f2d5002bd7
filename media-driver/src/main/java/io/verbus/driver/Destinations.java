// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.background.Names;
import io.verbus.driver.command.CommandException;
import io.verbus.logbuffer.LogLayout;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The destinations that clients have given a manual publication. Conductor's thread. */
final class Destinations {
    private static final long NONE = -1;

    private final NetworkPublication publication;
    private final List<Destination> all = new ArrayList<>();

    /** A destination, as its transport has it. */
    private record Destination(long registrationId, ChannelUri channel) {}

    Destinations(NetworkPublication publication) {
        this.publication = publication;
    }

    /**
     * Those of a publication.
     *
     * @throws CommandException if it can have none.
     */
    static Destinations of(Publication publication) {
        if (publication instanceof NetworkPublication network && network.named().isManual()) {
            return network.destinations();
        }
        throw new CommandException(
                ErrorCode.INVALID_CHANNEL,
                "the publication on '"
                        + publication.named()
                        + "' takes no destinations: publish on verbus:rdma?control-mode=manual or"
                        + " verbus:udp?control-mode=manual");
    }

    /**
     * Adds a destination.
     *
     * @param registrationId by which it can be removed.
     * @param named destination to add, its names looked up.
     * @param transports of the driver.
     * @throws BusException if it is none of this publication's transport, is there already, or
     *     cannot be used.
     */
    void add(long registrationId, ChannelUri named, Transports transports) {
        check(named);
        ChannelUri destination = transports.carriers().carried(named);
        if (indexOf(destination) >= 0) {
            throw new CommandException(
                    ErrorCode.INVALID_CHANNEL,
                    "the publication has destination "
                            + destination.endpoint()
                            + " already: remove it first, or add another");
        }
        if (publication.transport() == null) {
            begin(destination, transports);
        } else {
            checkMedia(destination);
        }
        publication.transport().addDestination(publication, destination);
        all.add(new Destination(registrationId, destination));
    }

    /**
     * Removes a destination, unless the publication has none such.
     *
     * @throws BusException if it is none that the publication can have.
     */
    void remove(ChannelUri destination) {
        check(destination);
        removeAt(indexOf(destination));
    }

    /** Removes a destination by the id with which it was added; without effect if there is none. */
    void remove(long registrationId) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).registrationId == registrationId) {
                removeAt(i);
                return;
            }
        }
    }

    /** Registration id of the destination at an address; -1 if none is there. */
    long at(InetSocketAddress address, Names names) {
        for (Destination each : all) {
            Endpoint endpoint = each.channel.endpoint();
            if (names.address(endpoint.host(), endpoint.port()).equals(address)) {
                return each.registrationId;
            }
        }
        return NONE;
    }

    /** The first destination decides what carries the publication. */
    private void begin(ChannelUri destination, Transports transports) {
        ChannelUri channel = publication.named();
        publication.carry(
                transports.of(destination),
                destination.media().equals(channel.media()) ? channel : channel.overRdma());
    }

    private void checkMedia(ChannelUri destination) {
        String media = publication.channel().media();
        if (!destination.media().equals(media)) {
            throw new CommandException(
                    ErrorCode.NOT_SUPPORTED,
                    "destination '"
                            + destination
                            + "' is carried by "
                            + destination.media()
                            + ", but the others of the publication by "
                            + media
                            + ": add a publication for each");
        }
    }

    private void removeAt(int index) {
        if (index >= 0) {
            publication.transport().removeDestination(publication, all.remove(index).channel);
        }
    }

    private void check(ChannelUri destination) {
        if (publication.finalPosition() != LogLayout.NOT_ENDED) {
            throw new CommandException(
                    ErrorCode.UNKNOWN_PUBLICATION,
                    "publication "
                            + publication.registrationId()
                            + " has ended, because its log is damaged: close it and add a new one");
        }
        try {
            destination.checkDestination();
        } catch (BusException e) {
            throw new CommandException(ErrorCode.INVALID_CHANNEL, e.getMessage(), e);
        }
        if (!destination.media().equals(publication.named().media())) {
            throw new CommandException(
                    ErrorCode.INVALID_CHANNEL,
                    "destination '"
                            + destination
                            + "' is of "
                            + destination.media()
                            + ", but the publication is of "
                            + publication.named().media()
                            + ": name one of the same media");
        }
    }

    private int indexOf(ChannelUri destination) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).channel.endpoint().equals(destination.endpoint())) {
                return i;
            }
        }
        return -1;
    }
}
