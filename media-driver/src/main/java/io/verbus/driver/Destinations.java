// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.channel.FlowChoice;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.channel.Carriers;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.legs.Leg;
import io.verbus.driver.legs.Legs;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.CounterShare;
import io.verbus.driver.status.DriverCounters;
import io.verbus.logbuffer.LogLayout;

import java.util.ArrayList;
import java.util.List;

/** The destinations that clients have given a manual publication. Conductor's thread. */
final class Destinations {
    private static final long NONE = -1;

    private final NetworkPublication publication;
    private final DriverCounters counters;
    private final Shares shares;
    private final List<Destination> all = new ArrayList<>();

    /** A destination, as the transport of its leg has it. */
    private record Destination(long registrationId, long clientId, ChannelUri channel, Leg leg) {}

    /**
     * @param publication whose they are.
     * @param counters of the driver.
     */
    Destinations(NetworkPublication publication, DriverCounters counters) {
        this.publication = publication;
        this.counters = counters;
        this.shares = counters.shares();
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
     * @param clientId of the client that adds it, in whose share it counts.
     * @param named destination to add, its names looked up.
     * @param transports of the driver.
     * @throws BusException if it is there already, or cannot be used.
     */
    void add(long registrationId, long clientId, ChannelUri named, Transports transports) {
        check(named);
        transports.carriers().requireDecidable(named);
        ChannelUri destination = fromItsAddress(transports.carriers().carried(named));
        if (indexOf(destination) >= 0) {
            throw new CommandException(
                    ErrorCode.INVALID_CHANNEL,
                    "the publication has destination "
                            + destination.endpoint()
                            + " already: remove it first, or add another");
        }
        checkMixed(destination);
        shares.require(Share.DESTINATIONS, clientId, Shares.weight(destination));
        Leg leg = begin(destination.media(), transports);
        leg.transport().addDestination(leg, destination);
        all.add(new Destination(registrationId, clientId, destination, leg));
        shares.take(Share.DESTINATIONS, clientId, Shares.weight(destination));
    }

    /**
     * RDMA has a connection for each destination; UDP a socket for all of them, the publication's.
     */
    private ChannelUri fromItsAddress(ChannelUri destination) {
        boolean isOwnConnection =
                destination.isAeron() && destination.media().equals(Carriers.RDMA);
        return isOwnConnection ? destination.sentFromAddressOf(publication.named()) : destination;
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

    /** Registration id of the destination that was added as an endpoint; -1 if there is none. */
    long at(Endpoint endpoint) {
        for (Destination each : all) {
            if (each.channel.endpoint().equals(endpoint)) {
                return each.registrationId;
            }
        }
        return NONE;
    }

    /** Each transport counts its own receivers: a group across several has no size, and no tag. */
    private void checkMixed(ChannelUri destination) {
        ChannelUri named = publication.named();
        FlowChoice flow = named.flow();
        boolean isOfGroup =
                flow != null
                        && (flow.strategy() == FlowChoice.Strategy.TAGGED
                                || flow.groupSize().orElse(1) > 1);
        for (Destination each : all) {
            String media = each.channel.media();
            if (isOfGroup && !media.equals(destination.media())) {
                throw new CommandException(
                        ErrorCode.NOT_SUPPORTED,
                        "destination '"
                                + destination
                                + "' is carried by "
                                + destination.media()
                                + ", but others of the publication by "
                                + media
                                + ", across which fc="
                                + flow
                                + " cannot count receivers: publish with fc=min, or add a"
                                + " publication for each");
            }
        }
    }

    /**
     * The leg of the publication over the transport of a media; begun, unless it is there.
     *
     * @param media of the transport.
     * @param transports of the driver.
     * @throws BusException if the publication cannot be sent so.
     */
    Leg begin(String media, Transports transports) {
        Legs legs = publication.legs();
        Leg there = legs.over(media);
        if (there != null) {
            return there;
        }
        ChannelUri named = publication.named();
        ChannelUri channel = media.equals(named.media()) ? named : named.overRdma();
        Leg leg = new Leg(publication, legs, transports.of(channel), channel);
        try {
            if (legs.count() > 0 || !media.equals(named.media())) {
                tellCarrier(leg);
            }
            for (Leg each : legs.all()) {
                tellCarrier(each);
            }
            legs.begin(leg);
            return leg;
        } catch (BusException e) {
            leg.close();
            throw e;
        }
    }

    /** Where the channel alone does not say what carries the publication, counters do. */
    private void tellCarrier(Leg leg) {
        if (!leg.isTold()) {
            leg.carrier(
                    counters.carrier(
                            CounterShare.CLIENTS, publication.counted(), leg.channel().media()));
        }
    }

    /** The publication has ended, and what it sent to with it. */
    void clear() {
        all.forEach(this::giveBack);
        all.clear();
    }

    private void giveBack(Destination gone) {
        shares.giveBack(Share.DESTINATIONS, gone.clientId, Shares.weight(gone.channel));
    }

    private void removeAt(int index) {
        if (index >= 0) {
            Destination gone = all.remove(index);
            giveBack(gone);
            gone.leg.transport().removeDestination(gone.leg, gone.channel);
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
