// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Derives channels from others: for one end of a stream, for RDMA, or for a destination. */
public final class DerivedChannels {
    /** The keys that locate a channel, which a tag can stand for. */
    private static final List<ChannelKey> PLACE =
            List.of(
                    ChannelKey.ENDPOINT,
                    ChannelKey.INTERFACE,
                    ChannelKey.CONTROL,
                    ChannelKey.CONTROL_MODE);

    /** Hosts of {@code control} that stand for all local addresses. */
    private static final List<String> WILDCARDS = List.of("0.0.0.0", "::");

    private DerivedChannels() {}

    /**
     * Returns a channel without the keys that only subscriptions read; an Aeron channel is returned
     * as it is.
     *
     * @param channel channel of either end.
     */
    public static ChannelUri forPublication(ChannelUri channel) {
        return forEnd(channel, ChannelKey.Side.PUBLICATION);
    }

    /**
     * Returns a channel without the keys that only publications read; an Aeron channel is returned
     * as it is.
     *
     * @param channel channel of either end.
     */
    public static ChannelUri forSubscription(ChannelUri channel) {
        return forEnd(channel, ChannelKey.Side.SUBSCRIPTION);
    }

    /**
     * Returns a channel with the values that one end of a stream reads. One channel may configure
     * both ends: each ignores the keys of the other. A spy reads the publication's channel.
     */
    private static ChannelUri forEnd(ChannelUri channel, ChannelKey.Side end) {
        if (channel.isAeron()) {
            return channel;
        }
        ChannelKey.Side read = channel.isSpy() ? ChannelKey.Side.PUBLICATION : end;
        EnumMap<ChannelKey, Object> kept = new EnumMap<>(ChannelKey.class);
        channel.values()
                .forEach(
                        (key, value) -> {
                            ChannelKey.Side side = key.side(channel.carrier());
                            if (side == read
                                    || side == ChannelKey.Side.BOTH
                                    || channel.isSpy() && isOfReader(key)) {
                                kept.put(key, value);
                            }
                        });
        return kept.size() == channel.values().size() ? channel : channel.withValues(kept);
    }

    /** Returns whether a key configures one reader of a log, on any media. */
    private static boolean isOfReader(ChannelKey key) {
        return key == ChannelKey.TETHER || key == ChannelKey.REJOIN;
    }

    /**
     * Returns a UDP channel as RDMA carries it, without the keys that have no effect there.
     *
     * @param channel channel over UDP, in Aeron's notation.
     * @throws UnsupportedChannelException if RDMA does not support the channel.
     */
    public static ChannelUri overRdma(ChannelUri channel) {
        TimestampSettings timestamps = channel.timestamps();
        if (timestamps.receive().isPresent() || timestamps.media().isPresent()) {
            throw new UnsupportedChannelException(
                    "channel '"
                            + channel
                            + "' runs over RDMA, because its address is in rdma.networks, and RDMA"
                            + " does not support receive timestamps, because a one-sided Write does"
                            + " not notify the receiver: set channel-snd-ts-offset on the"
                            + " publication");
        }
        EnumMap<ChannelKey, Object> kept = new EnumMap<>(ChannelKey.class);
        channel.values()
                .forEach(
                        (key, value) -> {
                            boolean isOfOneReceiver =
                                    key == ChannelKey.FLOW_CONTROL
                                            && !channel.isManual()
                                            && !channel.isDynamic();
                            boolean isOfDestinations =
                                    ChannelRules.isOfConnection(key) && channel.isManual();
                            if (ChannelMedia.RDMA.allows(key)
                                    && !isOfOneReceiver
                                    && !isOfDestinations) {
                                kept.put(key, value);
                            }
                        });
        return new ChannelUri(
                ChannelMedia.RDMA, true, channel.isSpy(), kept, Map.of(), channel.written());
    }

    /**
     * Returns the destination channel by which a publication sends to a receiver that has announced
     * itself, with the publication's connection settings.
     *
     * @param publication channel of the publication.
     * @param endpoint address of the receiver.
     * @throws io.verbus.BusException if the address is invalid.
     */
    public static ChannelUri toReceiver(ChannelUri publication, String endpoint) {
        EnumMap<ChannelKey, Object> kept = new EnumMap<>(ChannelKey.class);
        publication
                .values()
                .forEach(
                        (key, value) -> {
                            if (ChannelRules.isOfConnection(key)) {
                                kept.put(key, value);
                            }
                        });
        kept.put(ChannelKey.ENDPOINT, Endpoint.parse(endpoint));
        return new ChannelUri(
                publication.carrier(), publication.isAeron(), false, kept, Map.of(), null);
    }

    /**
     * Returns a destination with the source address of its publication, unless it has its own. An
     * Aeron publication sets the address for all destinations in {@code interface} or {@code
     * control}.
     *
     * @param destination channel of the destination.
     * @param publication channel of the publication, as the client specified it.
     */
    public static ChannelUri sentFromAddressOf(ChannelUri destination, ChannelUri publication) {
        LocalInterface own = publication.localInterface();
        String host = own != null ? own.name() : controlHost(publication);
        return destination.sourceHost() != null || host == null
                ? destination
                : with(destination, ChannelKey.INTERFACE, new LocalInterface(host, 0));
    }

    private static String controlHost(ChannelUri channel) {
        Endpoint control = channel.control();
        return control == null || WILDCARDS.contains(control.host()) ? null : control.host();
    }

    /**
     * Returns a channel with the address of the channel whose tag it has.
     *
     * @param channel channel that refers to the other by tag.
     * @param tagged channel with the address; of the same media.
     * @return the channel with all address keys of the other.
     * @throws io.verbus.BusException if the channel itself sets another address.
     */
    public static ChannelUri atAddressOf(ChannelUri channel, ChannelUri tagged) {
        EnumMap<ChannelKey, Object> all = valuesOf(channel);
        for (ChannelKey key : PLACE) {
            Object there = tagged.values().get(key);
            Object here = there == null ? all.get(key) : all.putIfAbsent(key, there);
            if (here != null && !here.equals(there)) {
                throw new InvalidChannelException(
                        "channel '"
                                + channel
                                + "' has mismatched endpoint or control: '"
                                + tagged
                                + "' has the same tag, but a different "
                                + key.text()
                                + "; use the tag alone, or choose another tag");
            }
        }
        return ChannelRules.checked(channel.withValues(all));
    }

    /**
     * Returns a publication's channel with a default for {@code ssc}.
     *
     * @param publication channel of the publication.
     * @param preset default of {@code ssc}.
     */
    public static ChannelUri withSpiesConnect(ChannelUri publication, boolean preset) {
        if (publication.isIpc()
                || publication.values().containsKey(ChannelKey.SPIES_CONNECT)
                || !preset) {
            return publication;
        }
        return with(publication, ChannelKey.SPIES_CONNECT, true);
    }

    /**
     * Returns a publication's channel with another response correlation id.
     *
     * @param publication channel of the publication.
     * @param id new id.
     */
    public static ChannelUri withResponseId(ChannelUri publication, long id) {
        return with(publication, ChannelKey.RESPONSE_ID, id);
    }

    /**
     * Returns a subscription's channel with the driver's defaults for keys that it does not set.
     *
     * @param subscription channel of the subscription.
     * @param tether default of {@code tether}.
     * @param rejoin default of {@code rejoin}.
     */
    public static ChannelUri withTether(ChannelUri subscription, boolean tether, boolean rejoin) {
        EnumMap<ChannelKey, Object> all = valuesOf(subscription);
        if (!tether) {
            all.putIfAbsent(ChannelKey.TETHER, false);
        }
        if (!rejoin) {
            all.putIfAbsent(ChannelKey.REJOIN, false);
        }
        return all.size() == subscription.values().size()
                ? subscription
                : subscription.withValues(all);
    }

    private static ChannelUri with(ChannelUri channel, ChannelKey key, Object value) {
        EnumMap<ChannelKey, Object> all = valuesOf(channel);
        all.put(key, value);
        return channel.withValues(all);
    }

    private static EnumMap<ChannelKey, Object> valuesOf(ChannelUri channel) {
        EnumMap<ChannelKey, Object> values = new EnumMap<>(ChannelKey.class);
        values.putAll(channel.values());
        return values;
    }
}
