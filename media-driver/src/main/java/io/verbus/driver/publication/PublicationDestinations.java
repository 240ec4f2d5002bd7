// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.DerivedChannels;
import io.verbus.channel.Endpoint;
import io.verbus.channel.FlowChoice;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.channel.Carriers;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.CounterShare;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.transports.TransportStream;
import io.verbus.driver.transports.TransportStreams;
import io.verbus.driver.transports.Transports;
import io.verbus.logbuffer.LogLayout;

import java.util.ArrayList;
import java.util.List;

/**
 * The destinations that clients have added to a manual publication. Used by the conductor's thread.
 */
public final class PublicationDestinations {
    private static final long NONE = -1;

    private final NetworkPublication publication;
    private final DriverCounters counters;
    private final Shares shares;
    private final List<Destination> all = new ArrayList<>();

    /** A destination, with its channel in the form that its transport uses. */
    private record Destination(
            long registrationId, long clientId, ChannelUri channel, TransportStream stream) {}

    /**
     * @param publication publication that owns the destinations.
     * @param counters counters of the driver.
     */
    PublicationDestinations(NetworkPublication publication, DriverCounters counters) {
        this.publication = publication;
        this.counters = counters;
        this.shares = counters.shares();
    }

    /**
     * Returns the destinations of a publication.
     *
     * @throws CommandException if the publication does not support destinations.
     */
    public static PublicationDestinations of(Publication publication) {
        if (publication instanceof NetworkPublication network && network.named().isManual()) {
            return network.destinations();
        }
        throw new CommandException(
                ErrorCode.INVALID_CHANNEL,
                "the publication on '"
                        + publication.named()
                        + "' does not accept destinations: publish on "
                        + "verbus:rdma?control-mode=manual or "
                        + "verbus:udp?control-mode=manual");
    }

    /**
     * Adds a destination.
     *
     * @param registrationId id by which the destination can be removed.
     * @param clientId client that adds the destination, which counts towards the client's shares.
     * @param named channel of the destination to add, with resolved names.
     * @param transports transports of the driver.
     * @throws BusException if the destination exists, or cannot be used.
     */
    public void add(long registrationId, long clientId, ChannelUri named, Transports transports) {
        check(named);
        transports.carriers().requireDecidable(named);
        ChannelUri destination = fromItsAddress(transports.carriers().carried(named));
        if (indexOf(destination) >= 0) {
            throw new CommandException(
                    ErrorCode.INVALID_CHANNEL,
                    "the publication already has destination "
                            + destination.endpoint()
                            + ": remove that destination first, or add another one");
        }
        checkMixed(destination);
        shares.require(Share.DESTINATIONS, clientId, Shares.weight(destination));
        TransportStream stream = begin(destination.media(), transports);
        stream.transport().addDestination(stream, destination);
        all.add(new Destination(registrationId, clientId, destination, stream));
        shares.take(Share.DESTINATIONS, clientId, Shares.weight(destination));
    }

    /**
     * Applies the publication's source address to an RDMA destination, which has its own
     * connection. All UDP destinations share the publication's socket.
     */
    private ChannelUri fromItsAddress(ChannelUri destination) {
        boolean isOwnConnection =
                destination.isAeron() && destination.media().equals(Carriers.RDMA);
        return isOwnConnection
                ? DerivedChannels.sentFromAddressOf(destination, publication.named())
                : destination;
    }

    /**
     * Removes a destination. Removing an unknown destination has no effect.
     *
     * @throws BusException if the publication cannot have such a destination.
     */
    public void remove(ChannelUri destination) {
        check(destination);
        removeAt(indexOf(destination));
    }

    /** Removes a destination by its registration id. An unknown id has no effect. */
    public void remove(long registrationId) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).registrationId == registrationId) {
                removeAt(i);
                return;
            }
        }
    }

    /** Returns the registration id of the destination at an endpoint, or -1 if there is none. */
    public long at(Endpoint endpoint) {
        for (Destination each : all) {
            if (each.channel.endpoint().equals(endpoint)) {
                return each.registrationId;
            }
        }
        return NONE;
    }

    /**
     * Rejects flow control with a group size or tag if the destinations use more than one
     * transport, because each transport counts only its own receivers.
     */
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
                                + "' runs over "
                                + destination.media()
                                + ", but another destination of the publication runs over "
                                + media
                                + ", and fc="
                                + flow
                                + " cannot count receivers across media: publish with fc=min, or"
                                + " add a publication for each medium");
            }
        }
    }

    /**
     * Returns the publication's stream over a transport, beginning it if needed.
     *
     * @param media media of the transport.
     * @param transports transports of the driver.
     * @throws BusException if the transport cannot send the publication.
     */
    TransportStream begin(String media, Transports transports) {
        TransportStreams streams = publication.streams();
        TransportStream there = streams.over(media);
        if (there != null) {
            return there;
        }
        ChannelUri named = publication.named();
        ChannelUri channel = media.equals(named.media()) ? named : DerivedChannels.overRdma(named);
        TransportStream stream =
                new TransportStream(
                        publication, streams, transports.of(channel).outbound(), channel);
        try {
            if (streams.count() > 0 || !media.equals(named.media())) {
                showCarrier(stream);
            }
            for (TransportStream each : streams.all()) {
                showCarrier(each);
            }
            publication.begin(stream);
            return stream;
        } catch (BusException e) {
            stream.close();
            throw e;
        }
    }

    /**
     * Adds a counter that shows the stream's carrier, unless the channel already determines the
     * carrier.
     */
    private void showCarrier(TransportStream stream) {
        if (!stream.isCarrierShown()) {
            stream.carrier(
                    counters.carrier(
                            CounterShare.CLIENTS, publication.counted(), stream.channel().media()));
        }
    }

    /** Removes all destinations after the publication has ended. */
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
            gone.stream.transport().removeDestination(gone.stream, gone.channel);
        }
    }

    private void check(ChannelUri destination) {
        if (publication.finalPosition() != LogLayout.NOT_ENDED) {
            throw new CommandException(
                    ErrorCode.UNKNOWN_PUBLICATION,
                    "publication "
                            + publication.registrationId()
                            + " has ended, because its log is damaged: close the publication, and"
                            + " add a new one");
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
                            + "' uses "
                            + destination.media()
                            + ", but the publication uses "
                            + publication.named().media()
                            + ": add a destination that uses the same media");
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
