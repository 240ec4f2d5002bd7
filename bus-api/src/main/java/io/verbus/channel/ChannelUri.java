// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Names the channel of a publication or subscription.
 *
 * <pre>
 *  verbus:ipc[?key=value|key=value...]
 *  verbus:rdma?endpoint=host:port[|key=value...]
 *  verbus:udp?endpoint=host:port[|key=value...]
 *  verbus:rdma?control-mode=manual[|key=value...]                   destinations added one by one
 *  verbus:udp?control-mode=manual[|key=value...]                    the same
 *  verbus:rdma?control=host:port|control-mode=dynamic[|key=value...] receivers come by themselves
 *  verbus:udp?control=host:port|control-mode=dynamic[|key=value...]  the same
 *  verbus:rdma?control=host:port|control-mode=response[|key=value...] see {@link ResponseLink}
 *  verbus:udp?control=host:port|control-mode=response[|key=value...]  the same
 *  verbus-spy:...              reads the publication of that channel in the same driver, in place
 * </pre>
 *
 * {@code docs/reference/channels.md} lists the keys of each media.
 *
 * <p>A text with an unknown media or key, a wrong value, a key twice, or values that contradict
 * each other is refused. Both ends of a stream may have the same text: each ignores the keys that
 * only the other reads, once their values are checked. Where the text begins with {@code aeron:} or
 * {@code aeron-spy:aeron:}, keys that are not known, or mean nothing there, are passed over, as
 * Aeron does; keys that would change the stream, and that Verbus cannot serve, are refused.
 * Instances are immutable; those that mean the same, in one notation, are equal and have the same
 * text.
 */
public final class ChannelUri {
    /** Bytes of a term where the channel does not say. */
    public static final int DEFAULT_TERM_LENGTH = 16 * 1024 * 1024;

    /** Bytes of the longest frame where the channel does not say. */
    public static final int DEFAULT_MTU = 8192;

    /** Bytes of the longest frame over UDP where the channel does not say: fits into Ethernet's. */
    public static final int DEFAULT_UDP_MTU = 1408;

    /** Place of a timestamp: the reserved value of the frame that begins a message. */
    public static final int RESERVED_TIMESTAMP = -8;

    /** Longest text of a channel. */
    public static final int MAX_LENGTH = 4095;

    /** Hosts of {@code control} that stand for all addresses of the host. */
    private static final List<String> WILDCARDS = List.of("0.0.0.0", "::");

    private final ChannelMedia media;
    private final boolean isAeron;
    private final boolean isSpy;
    private final Map<ChannelKey, Object> values;
    private final Map<ChannelKey, BusException> faults;
    private final String text;
    private final String written;

    ChannelUri(
            ChannelMedia media,
            boolean isAeron,
            boolean isSpy,
            EnumMap<ChannelKey, Object> values) {
        this(media, isAeron, isSpy, values, Map.of(), null);
    }

    /**
     * @param faults wrong values, which matter only to the end of the stream that reads their keys.
     * @param written text that the channel was read from; null for the canonical one.
     */
    ChannelUri(
            ChannelMedia media,
            boolean isAeron,
            boolean isSpy,
            EnumMap<ChannelKey, Object> values,
            Map<ChannelKey, BusException> faults,
            String written) {
        this.media = media;
        this.isAeron = isAeron;
        this.isSpy = isSpy;
        this.values = Collections.unmodifiableMap(values);
        this.faults = faults;
        this.text = ChannelSyntax.format(media, isAeron, isSpy, values);
        this.written = written == null ? text : written;
        ChannelRules.check(media, values, this);
    }

    /**
     * Reads a channel from its text.
     *
     * @param text such as {@code verbus:rdma?endpoint=10.0.0.2:7400|term-length=64m}.
     * @return the channel.
     * @throws BusException that says what is wrong with the text, and what would be right.
     */
    public static ChannelUri parse(String text) {
        return ChannelSyntax.parse(text);
    }

    /**
     * Begins a channel through the memory of one host.
     *
     * @return where the other values are set.
     */
    public static Builder ipc() {
        return new Builder(ChannelMedia.IPC);
    }

    /**
     * Begins a channel over RDMA.
     *
     * @param endpoint where the subscribing driver listens, such as {@code 10.0.0.2:7400}, {@code
     *     [fe80::1]:7400} or {@code host.example:7400}.
     * @return where the other values are set.
     * @throws BusException if the endpoint is not one.
     */
    public static Builder rdma(String endpoint) {
        return new Builder(ChannelMedia.RDMA).set(ChannelKey.ENDPOINT, endpoint);
    }

    /**
     * Begins a channel over UDP.
     *
     * @param endpoint where the subscribing driver receives, such as {@code 10.0.0.2:40123}.
     * @return where the other values are set.
     * @throws BusException if the endpoint is not one.
     */
    public static Builder udp(String endpoint) {
        return new Builder(ChannelMedia.UDP).set(ChannelKey.ENDPOINT, endpoint);
    }

    /**
     * Begins a channel of a publication over RDMA whose destinations are added one by one.
     *
     * @return where the other values are set.
     */
    public static Builder rdmaManual() {
        return new Builder(ChannelMedia.RDMA).set(ChannelKey.CONTROL_MODE, ChannelKey.MANUAL);
    }

    /**
     * Begins a channel of a publication over UDP whose destinations are added one by one.
     *
     * @return where the other values are set.
     */
    public static Builder udpManual() {
        return new Builder(ChannelMedia.UDP).set(ChannelKey.CONTROL_MODE, ChannelKey.MANUAL);
    }

    /**
     * Begins a channel of a publication over UDP whose receivers come by themselves.
     *
     * @param control where they announce themselves, such as {@code 10.0.0.1:40124}.
     * @return where the other values are set.
     * @throws BusException if the address is not one.
     */
    public static Builder udpDynamic(String control) {
        return new Builder(ChannelMedia.UDP)
                .set(ChannelKey.CONTROL, control)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.DYNAMIC);
    }

    /**
     * Begins a channel of a publication over RDMA whose receivers come by themselves.
     *
     * @param control where they announce themselves, such as {@code 10.0.0.1:7401}.
     * @return where the other values are set.
     * @throws BusException if the address is not one.
     */
    public static Builder rdmaDynamic(String control) {
        return new Builder(ChannelMedia.RDMA)
                .set(ChannelKey.CONTROL, control)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.DYNAMIC);
    }

    /**
     * Begins a channel of responses over RDMA, see {@link ResponseLink}.
     *
     * @param control where the requesters ask for them, such as {@code 10.0.0.1:7401}.
     * @return where the other values are set.
     * @throws BusException if the address is not one.
     */
    public static Builder rdmaResponses(String control) {
        return new Builder(ChannelMedia.RDMA)
                .set(ChannelKey.CONTROL, control)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.RESPONSE);
    }

    /**
     * Begins a channel of responses over UDP, see {@link ResponseLink}.
     *
     * @param control where they are sent from, such as {@code 10.0.0.1:40124}.
     * @return where the other values are set.
     * @throws BusException if the address is not one.
     */
    public static Builder udpResponses(String control) {
        return new Builder(ChannelMedia.UDP)
                .set(ChannelKey.CONTROL, control)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.RESPONSE);
    }

    /** What carries the channel. */
    ChannelMedia carrier() {
        return media;
    }

    /** The media, as transports name it: {@code ipc}, {@code rdma} or {@code udp}. */
    public String media() {
        return media.text();
    }

    /** Whether the channel stays within the memory of this host. */
    public boolean isIpc() {
        return media == ChannelMedia.IPC;
    }

    /**
     * Where the subscribing driver listens.
     *
     * @throws BusException if the channel's media has no endpoint.
     */
    public Endpoint endpoint() {
        if (values.get(ChannelKey.ENDPOINT) instanceof Endpoint endpoint) {
            return endpoint;
        }
        throw new BusException("channel '" + this + "' has no endpoint: it needs none");
    }

    /** Whether the channel names an endpoint. */
    public boolean hasEndpoint() {
        return values.containsKey(ChannelKey.ENDPOINT);
    }

    /** Where receivers announce themselves to a publication; null if not said. */
    public Endpoint control() {
        return (Endpoint) values.get(ChannelKey.CONTROL);
    }

    /** Whether the destinations of a publication are added one by one. */
    public boolean isManual() {
        return ChannelKey.MANUAL.equals(values.get(ChannelKey.CONTROL_MODE));
    }

    /** Whether the receivers of a publication come by themselves. */
    public boolean isDynamic() {
        return ChannelKey.DYNAMIC.equals(values.get(ChannelKey.CONTROL_MODE));
    }

    /** What the channel says of requests and responses. */
    public ResponseLink response() {
        return ResponseLink.of(values);
    }

    /** Whether the channel was written as Aeron's, which is read leniently. */
    public boolean isAeron() {
        return isAeron;
    }

    /** Whether a subscription reads the log of a publication in the same driver. */
    public boolean isSpy() {
        return isSpy;
    }

    /** Whether a publication that only spies read is connected and goes on. */
    public boolean spiesConnect() {
        return Boolean.TRUE.equals(values.get(ChannelKey.SPIES_CONNECT));
    }

    /**
     * This channel of UDP as RDMA is to carry it: without the keys that mean nothing there.
     *
     * @throws UnsupportedChannelException if RDMA cannot carry what the channel asks for.
     */
    public ChannelUri overRdma() {
        return ChannelRules.overRdma(this, values);
    }

    /**
     * Checks that RDMA can be sent as the channel of a publication, or of a destination, asks.
     *
     * @throws UnsupportedChannelException if it names the port to send from.
     */
    public void checkConnectable() {
        ChannelRules.checkConnectable(this);
    }

    /**
     * What a publication on this channel is to a receiver that has come by itself: a destination
     * with what the channel says of connections.
     *
     * @param endpoint of the receiver.
     * @throws BusException if it is none.
     */
    public ChannelUri toReceiver(String endpoint) {
        return ChannelRules.toReceiver(this, values, endpoint);
    }

    /**
     * This destination as it is sent where its own channel does not say from which address: from
     * that of its publication. A publication of Aeron's names one for all destinations, in {@code
     * interface} or in {@code control}.
     *
     * @param publication channel of it, as the client named it.
     */
    public ChannelUri sentFromAddressOf(ChannelUri publication) {
        LocalInterface own = publication.localInterface();
        String host = own != null ? own.name() : controlHost(publication);
        return sourceHost() != null || host == null
                ? this
                : with(ChannelKey.INTERFACE, new LocalInterface(host, 0));
    }

    private static String controlHost(ChannelUri channel) {
        Endpoint control = channel.control();
        return control == null || WILDCARDS.contains(control.host()) ? null : control.host();
    }

    /**
     * This channel without the keys that only subscriptions read. One of Aeron's is returned as it
     * is.
     */
    public ChannelUri forPublication() {
        return forEnd(ChannelKey.Side.PUBLICATION);
    }

    /**
     * This channel without the keys that only publications read. One of Aeron's is returned as it
     * is.
     */
    public ChannelUri forSubscription() {
        return forEnd(ChannelKey.Side.SUBSCRIPTION);
    }

    private ChannelUri forEnd(ChannelKey.Side end) {
        if (isAeron) {
            return this;
        }
        EnumMap<ChannelKey, Object> kept = ChannelRules.valuesOf(end, this, values);
        return kept.size() == values.size()
                ? this
                : new ChannelUri(media, false, isSpy, kept, faults, written);
    }

    /** This channel of a publication, with a choice of what spies do where it makes none. */
    public ChannelUri withSpiesConnect(boolean preset) {
        if (isIpc() || values.containsKey(ChannelKey.SPIES_CONNECT) || !preset) {
            return this;
        }
        return with(ChannelKey.SPIES_CONNECT, true);
    }

    /** This channel of a publication, with another id of a subscription to responses. */
    public ChannelUri withResponseId(long id) {
        return with(ChannelKey.RESPONSE_ID, id);
    }

    private ChannelUri with(ChannelKey key, Object value) {
        EnumMap<ChannelKey, Object> all = new EnumMap<>(ChannelKey.class);
        all.putAll(values);
        all.put(key, value);
        return new ChannelUri(media, isAeron, isSpy, all, faults, written);
    }

    /**
     * This channel with what a driver presets for subscribers whose channels do not say.
     *
     * @param tether whether they hold their streams back.
     * @param rejoin whether they join and receive streams again.
     */
    public ChannelUri withTether(boolean tether, boolean rejoin) {
        EnumMap<ChannelKey, Object> all = new EnumMap<>(ChannelKey.class);
        all.putAll(values);
        if (!tether) {
            all.putIfAbsent(ChannelKey.TETHER, false);
        }
        if (!rejoin) {
            all.putIfAbsent(ChannelKey.REJOIN, false);
        }
        return all.size() == values.size()
                ? this
                : new ChannelUri(media, isAeron, isSpy, all, faults, written);
    }

    /** The local address from which to send, or on which to join; null if any may be used. */
    public LocalInterface localInterface() {
        return (LocalInterface) values.get(ChannelKey.INTERFACE);
    }

    /** What to look up for the local address; null if any may be used. */
    public String interfaceAddress() {
        return localInterface() == null ? null : localInterface().name();
    }

    /**
     * What to look up for the local address that RDMA connects from; null if any may be used. A
     * {@code control} of Aeron beside an endpoint says as much.
     */
    public String sourceHost() {
        boolean isControls = interfaceAddress() == null && hasEndpoint() && control() != null;
        return isControls ? control().host() : interfaceAddress();
    }

    /**
     * Hosts that the channel leads to or through: names, or IP addresses. None of a spy's, who
     * reads in memory.
     */
    public List<String> hostNames() {
        List<String> names = new ArrayList<>();
        if (!isSpy) {
            if (hasEndpoint()) {
                names.add(endpoint().host());
            }
            if (control() != null) {
                names.add(control().host());
            }
            if (interfaceAddress() != null) {
                names.add(interfaceAddress());
            }
        }
        return names;
    }

    /** Bytes of a term of the publication's log. */
    public int termLength() {
        return intValue(ChannelKey.TERM_LENGTH, DEFAULT_TERM_LENGTH);
    }

    /** Whether the channel itself sets the term length. */
    public boolean hasTermLength() {
        return values.containsKey(ChannelKey.TERM_LENGTH);
    }

    /** Bytes of the publication's longest frame, its header included. */
    public int mtu() {
        return mtu(DEFAULT_MTU);
    }

    /**
     * Bytes of the publication's longest frame.
     *
     * @param preset where the channel does not say; over UDP, and through shared memory where the
     *     channel is written as Aeron's, {@link #DEFAULT_UDP_MTU} at most.
     */
    public int mtu(int preset) {
        boolean isShort = media == ChannelMedia.UDP || isAeron && media == ChannelMedia.IPC;
        return intValue(ChannelKey.MTU, isShort ? Math.min(preset, DEFAULT_UDP_MTU) : preset);
    }

    /** Whether the channel itself sets the MTU. */
    public boolean hasMtu() {
        return values.containsKey(ChannelKey.MTU);
    }

    /** The session id that the publication is to have; empty if the driver chooses one. */
    public OptionalInt sessionId() {
        return values.get(ChannelKey.SESSION_ID) instanceof Integer value
                ? OptionalInt.of(value)
                : OptionalInt.empty();
    }

    /** The tag of the publication whose session the channel is to have; empty if it names none. */
    public OptionalLong sessionTag() {
        return values.get(ChannelKey.SESSION_ID) instanceof ValueForm.SessionTag(long tag)
                ? OptionalLong.of(tag)
                : OptionalLong.empty();
    }

    /** By what other channels of the same driver may name this one. */
    public ChannelTags tags() {
        return values.get(ChannelKey.TAGS) instanceof ChannelTags tags ? tags : ChannelTags.NONE;
    }

    /** Where the publication is to begin; null if with its first term. */
    public StreamStart start() {
        return values.get(ChannelKey.INITIAL_TERM_ID) instanceof Integer initialTermId
                ? new StreamStart(
                        initialTermId,
                        intValue(ChannelKey.TERM_ID, initialTermId),
                        intValue(ChannelKey.TERM_OFFSET, 0))
                : null;
    }

    /** Whether receivers are told of the end of the stream. */
    public boolean tellsEnd() {
        return !Boolean.FALSE.equals(values.get(ChannelKey.END_OF_STREAM));
    }

    /**
     * This channel at the place of another, whose tag it names.
     *
     * @param tagged that has the place; of the same media.
     * @return the channel with all that the other says of its place.
     * @throws BusException if this one names another place itself.
     */
    public ChannelUri at(ChannelUri tagged) {
        EnumMap<ChannelKey, Object> all = new EnumMap<>(ChannelKey.class);
        all.putAll(values);
        for (ChannelKey key : ChannelRules.PLACE) {
            Object there = tagged.values.get(key);
            Object here = there == null ? all.get(key) : all.putIfAbsent(key, there);
            if (here != null && !here.equals(there)) {
                throw new InvalidChannelException(
                        "channel '"
                                + this
                                + "' has mismatched endpoint or control: '"
                                + tagged
                                + "' has the same tag, and another "
                                + key.text()
                                + "; leave out all but the tag, or take another tag");
            }
        }
        return new ChannelUri(media, isAeron, isSpy, all, faults, written);
    }

    /** Bytes that a publisher may be ahead of the subscribers; empty if the driver chooses. */
    public OptionalInt window() {
        return values.get(ChannelKey.WINDOW) instanceof Integer value
                ? OptionalInt.of(value)
                : OptionalInt.empty();
    }

    /** Bytes that a publisher may be ahead of the sender; empty if the driver chooses. */
    public OptionalInt publicationWindow() {
        return values.get(ChannelKey.PUBLICATION_WINDOW) instanceof Integer value
                ? OptionalInt.of(value)
                : OptionalInt.empty();
    }

    /** What the channel asks of sockets and of repair. */
    public DatagramSettings datagrams() {
        return DatagramSettings.of(values);
    }

    /**
     * Checks that a stream may be added on this channel.
     *
     * @throws InvalidChannelException if the channel names another.
     */
    public void checkStream(int streamId) {
        int named = intValue(ChannelKey.STREAM_ID, streamId);
        if (named != streamId) {
            throw new InvalidChannelException(
                    "channel '"
                            + this
                            + "' has stream-id "
                            + named
                            + ", and stream "
                            + streamId
                            + " is to be added: add stream "
                            + named
                            + ", or leave stream-id out");
        }
    }

    /** What becomes of a subscriber that is too slow for its stream. */
    public TetherSettings tether() {
        return TetherSettings.of(values);
    }

    /** What the channel asks of an RDMA fabric. */
    public FabricSettings fabric() {
        return FabricSettings.of(values);
    }

    /** Whether a subscription asks again for what was lost on the way. */
    public boolean isReliable() {
        return !Boolean.FALSE.equals(values.get(ChannelKey.RELIABLE));
    }

    /**
     * What decides how far a sender may be ahead of a subscription: {@code static} or {@code
     * cubic}; null if the driver chooses.
     */
    public String congestionControl() {
        return (String) values.get(ChannelKey.CONGESTION_CONTROL);
    }

    /** Which receiver of a group decides; null if the driver chooses. */
    public FlowChoice flow() {
        return (FlowChoice) values.get(ChannelKey.FLOW_CONTROL);
    }

    /** Tag that a subscription gives to its receiver; empty if none. */
    public OptionalLong groupTag() {
        return values.get(ChannelKey.GROUP_TAG) instanceof Long value
                ? OptionalLong.of(value)
                : OptionalLong.empty();
    }

    /** How long a closed publication answers for what was lost; null if the driver chooses. */
    public Duration linger() {
        return (Duration) values.get(ChannelKey.LINGER);
    }

    /** Hops that datagrams may take; empty if the system chooses. */
    public OptionalInt ttl() {
        return values.get(ChannelKey.TTL) instanceof Integer value
                ? OptionalInt.of(value)
                : OptionalInt.empty();
    }

    /**
     * Where the sending driver writes the time: bytes from the first of a message, or {@link
     * #RESERVED_TIMESTAMP}; empty if nowhere.
     */
    public OptionalInt sendTimestamp() {
        return values.get(ChannelKey.SEND_TIMESTAMP) instanceof Integer value
                ? OptionalInt.of(value)
                : OptionalInt.empty();
    }

    /** Where the receiving driver writes the time of arrival, as {@link #sendTimestamp}. */
    public OptionalInt receiveTimestamp() {
        return values.get(ChannelKey.RECEIVE_TIMESTAMP) instanceof Integer value
                ? OptionalInt.of(value)
                : OptionalInt.empty();
    }

    /** The name for people; null if there is none. */
    public String alias() {
        return (String) values.get(ChannelKey.ALIAS);
    }

    /**
     * Checks that a publication can be added on this channel.
     *
     * @throws BusException if it names no port to send to, or is a subscription's.
     */
    public void checkPublishable() {
        ChannelRules.checkPublishable(this, values, faults);
    }

    /**
     * Checks that a subscription can be added on this channel.
     *
     * @throws BusException if it is a publication's.
     */
    public void checkSubscribable() {
        ChannelRules.checkSubscribable(this, values, faults);
    }

    /**
     * Checks that this channel, of peers, can be a destination of a subscription.
     *
     * @throws BusException if it names no endpoint, or is a publication's.
     */
    public void checkReceiveDestination() {
        ChannelRules.checkReceiveDestination(this, values, faults);
    }

    /**
     * Checks that this channel can be a destination of a publication.
     *
     * @throws BusException if it is more, or less, than an address.
     */
    public void checkDestination() {
        ChannelRules.checkDestination(this, values);
    }

    /** The text that the channel was read from, for messages. */
    public String written() {
        return written;
    }

    private int intValue(ChannelKey key, int defaultValue) {
        return values.get(key) instanceof Integer value ? value : defaultValue;
    }

    /** The text of the channel: {@link #parse} makes an equal one of it. */
    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChannelUri channel && text.equals(channel.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Sets the values of a channel, one by one. */
    public static final class Builder extends ChannelValues {
        private final ChannelMedia media;

        private Builder(ChannelMedia media) {
            this.media = media;
        }

        /**
         * Makes the channel.
         *
         * @throws BusException if the values contradict each other or do not fit the media.
         */
        public ChannelUri build() {
            return new ChannelUri(media, false, isSpy, new EnumMap<>(values));
        }
    }
}
