// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;

/**
 * Names the channel of a publication or subscription.
 *
 * <pre>
 *  verbus:ipc[?key=value|key=value...]
 *  verbus:rdma?endpoint=host:port[|key=value...]
 *  verbus:udp?endpoint=host:port[|key=value...]
 *  verbus:rdma?control-mode=manual[|key=value...]                   destinations added one by one
 *  verbus:udp?control-mode=manual[|key=value...]                    the same
 *  verbus:udp?control=host:port|control-mode=dynamic[|key=value...] receivers come by themselves
 *  verbus-spy:...              reads the publication of that channel in the same driver, in place
 * </pre>
 *
 * The keys, for every media: {@code term-length} (bytes of a term of the publication's log), {@code
 * mtu} (bytes of its longest frame), {@code session-id} (of the publication; random if not set) and
 * {@code alias} (a name for people). For {@code rdma} also {@code endpoint} (where the subscribing
 * driver listens: an IPv4 address, an IPv6 address in brackets or a host name, and a port), {@code
 * interface} (the local address from which the publishing driver connects) and {@code window}
 * (bytes that the subscribing driver lets a publisher be ahead of its subscribers), {@code
 * control-mode} (of a publication with more than one destination), {@code fc} (which destination
 * decides how far such a publication goes, {@code max}, {@code min}, or {@code tagged,g:TAG} for
 * the slowest of those with a tag), {@code gtag} (the tag of a subscription) and {@code ssc}
 * (whether a publication that only spies read goes on), and what {@link FabricSettings} lists. For
 * {@code udp} the same but the last, {@code fc} also for multicast groups, and {@code control}
 * (where receivers of a publication announce themselves), {@code reliable} (of a subscription:
 * whether what was lost is asked for again, or skipped), {@code cc} (of a subscription: {@code
 * static} or {@code cubic} congestion control), {@code linger} (how long a publication that was
 * closed answers for what was lost) and {@code ttl} (hops that a publication's datagrams may take).
 * Sizes may end in {@code k}, {@code m} or {@code g}, durations end in {@code ns}, {@code us},
 * {@code ms} or {@code s}.
 *
 * <p>Nothing is ignored: a text that holds an unknown media or key, a bad value, a key twice, or
 * values that contradict each other is refused. Instances are immutable; those that mean the same
 * are equal and have the same text.
 */
public final class ChannelUri {
    /** Bytes of a term where the channel does not say. */
    public static final int DEFAULT_TERM_LENGTH = 16 * 1024 * 1024;

    /** Bytes of the longest frame where the channel does not say. */
    public static final int DEFAULT_MTU = 8192;

    /** Bytes of the longest frame over UDP where the channel does not say: fits into Ethernet's. */
    public static final int DEFAULT_UDP_MTU = 1408;

    /** Longest text of a channel. */
    public static final int MAX_LENGTH = 1024;

    private final ChannelMedia media;
    private final boolean isSpy;
    private final Map<ChannelKey, Object> values;
    private final String text;

    ChannelUri(ChannelMedia media, boolean isSpy, EnumMap<ChannelKey, Object> values) {
        this.media = media;
        this.isSpy = isSpy;
        this.values = Collections.unmodifiableMap(values);
        this.text = ChannelSyntax.format(media, isSpy, values);
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

    /** Whether a subscription reads the log of a publication in the same driver. */
    public boolean isSpy() {
        return isSpy;
    }

    /** Whether a publication that only spies read is connected and goes on. */
    public boolean spiesConnect() {
        return Boolean.TRUE.equals(values.get(ChannelKey.SPIES_CONNECT));
    }

    /** The local address or host name from which to connect; null if any may be used. */
    public String interfaceAddress() {
        return (String) values.get(ChannelKey.INTERFACE);
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
     * @param preset where the channel does not say; over UDP {@link #DEFAULT_UDP_MTU} at most.
     */
    public int mtu(int preset) {
        return intValue(
                ChannelKey.MTU,
                media == ChannelMedia.UDP ? Math.min(preset, DEFAULT_UDP_MTU) : preset);
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

    /** Bytes that a publisher may be ahead of the subscribers; empty if the driver chooses. */
    public OptionalInt window() {
        return values.get(ChannelKey.WINDOW) instanceof Integer value
                ? OptionalInt.of(value)
                : OptionalInt.empty();
    }

    /** What the channel asks of an RDMA fabric. */
    public FabricSettings fabric() {
        return FabricSettings.of(values);
    }

    /** Whether a subscription asks again for what was lost on the way. */
    public boolean isReliable() {
        return !Boolean.FALSE.equals(values.get(ChannelKey.RELIABLE));
    }

    /** Whether the channel itself says if it is reliable. */
    public boolean hasReliable() {
        return values.containsKey(ChannelKey.RELIABLE);
    }

    /**
     * What decides how far a sender may be ahead of a subscription: {@code static} or {@code
     * cubic}; null if the driver chooses.
     */
    public String congestionControl() {
        return (String) values.get(ChannelKey.CONGESTION_CONTROL);
    }

    /**
     * Which receiver of a group decides: {@code max}, {@code min} or {@code tagged,g:TAG}, the last
     * two maybe with the size of the group; null if not said.
     */
    public String flowControl() {
        return (String) values.get(ChannelKey.FLOW_CONTROL);
    }

    /** Tag of the receivers that decide; empty if any may. */
    public OptionalLong flowControlTag() {
        String tag = flowControl() == null ? null : flowMatch().group("tag");
        return tag == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(tag));
    }

    /** Receivers that must be there before a publication is connected; 1 if not said. */
    public int flowControlGroupSize() {
        if (flowControl() == null) {
            return 1;
        }
        Matcher match = flowMatch();
        String size = match.group("all") == null ? match.group("some") : match.group("all");
        return size == null ? 1 : Integer.parseInt(size);
    }

    private Matcher flowMatch() {
        Matcher matcher = ChannelKey.FLOW.matcher(flowControl());
        if (!matcher.matches()) {
            throw new AssertionError("the value was checked: " + flowControl());
        }
        return matcher;
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
        ChannelRules.checkPublishable(this, values);
    }

    /**
     * Checks that a subscription can be added on this channel.
     *
     * @throws BusException if it is a publication's.
     */
    public void checkSubscribable() {
        ChannelRules.checkSubscribable(this, values);
    }

    /**
     * Checks that this channel can be a destination of a publication.
     *
     * @throws BusException if it is more, or less, than an address.
     */
    public void checkDestination() {
        ChannelRules.checkDestination(this, values);
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
    public static final class Builder {
        private final ChannelMedia media;
        private boolean isSpy;
        private final EnumMap<ChannelKey, Object> values = new EnumMap<>(ChannelKey.class);

        private Builder(ChannelMedia media) {
            this.media = media;
        }

        private Builder set(ChannelKey key, String value) {
            values.put(key, key.parse(value));
            return this;
        }

        /**
         * @param bytes of a term, a power of two from 64 KiB to 1 GiB.
         * @throws BusException if it is not.
         */
        public Builder termLength(int bytes) {
            return set(ChannelKey.TERM_LENGTH, Integer.toString(bytes));
        }

        /**
         * @param bytes of the longest frame, a multiple of 32 from 64 to 65504.
         * @throws BusException if it is not.
         */
        public Builder mtu(int bytes) {
            return set(ChannelKey.MTU, Integer.toString(bytes));
        }

        /**
         * @param sessionId of the publication.
         */
        public Builder sessionId(int sessionId) {
            return set(ChannelKey.SESSION_ID, Integer.toString(sessionId));
        }

        /**
         * @param name for people: printable ASCII without {@code |}.
         * @throws BusException if it is not.
         */
        public Builder alias(String name) {
            return set(ChannelKey.ALIAS, name);
        }

        /**
         * @param bytes that a publisher may be ahead of the subscribers.
         * @throws BusException if they are out of range.
         */
        public Builder window(int bytes) {
            return set(ChannelKey.WINDOW, Integer.toString(bytes));
        }

        /**
         * @param reliable whether a subscription asks again for what was lost.
         */
        public Builder reliable(boolean reliable) {
            return set(ChannelKey.RELIABLE, Boolean.toString(reliable));
        }

        /**
         * @param control of a subscription: {@code static} or {@code cubic}.
         * @throws BusException if it is neither.
         */
        public Builder congestionControl(String control) {
            return set(ChannelKey.CONGESTION_CONTROL, control);
        }

        /**
         * @param receiver of several that decides: {@code max}, {@code min}, {@code min,g:/SIZE},
         *     {@code tagged,g:TAG} or {@code tagged,g:TAG/SIZE}.
         * @throws BusException if it is none of these.
         */
        public Builder flowControl(String receiver) {
            return set(ChannelKey.FLOW_CONTROL, receiver);
        }

        /**
         * @param tag that a subscription gives to its receiver.
         */
        public Builder groupTag(long tag) {
            return set(ChannelKey.GROUP_TAG, Long.toString(tag));
        }

        /**
         * @param control where a publication's receivers announce themselves, for a subscription.
         * @throws BusException if it is no address.
         */
        public Builder control(String control) {
            return set(ChannelKey.CONTROL, control);
        }

        /**
         * @param connect whether a publication that only spies read is connected and goes on.
         */
        public Builder spiesConnect(boolean connect) {
            return set(ChannelKey.SPIES_CONNECT, Boolean.toString(connect));
        }

        /** Makes it the channel of a subscription that reads the publication in the same driver. */
        public Builder spy() {
            isSpy = true;
            return this;
        }

        /**
         * @param time for which a closed publication answers for what was lost, 60 s at most.
         * @throws BusException if it is longer.
         */
        public Builder linger(Duration time) {
            return set(ChannelKey.LINGER, time.toNanos() + "ns");
        }

        /**
         * @param hops that datagrams may take, from 0 to 255.
         * @throws BusException if they are out of range.
         */
        public Builder ttl(int hops) {
            return set(ChannelKey.TTL, Integer.toString(hops));
        }

        /**
         * @param address from which to connect: an IP address or host name of this host.
         * @throws BusException if it is neither.
         */
        public Builder interfaceAddress(String address) {
            return set(ChannelKey.INTERFACE, address);
        }

        /**
         * @param name of the RDMA device that must carry the channel.
         * @throws BusException if it can be none.
         */
        public Builder device(String name) {
            return set(ChannelKey.DEVICE, name);
        }

        /**
         * @param trafficClass of the packets, from 0 to 255.
         * @throws BusException if it is out of range.
         */
        public Builder trafficClass(int trafficClass) {
            return set(ChannelKey.TRAFFIC_CLASS, Integer.toString(trafficClass));
        }

        /**
         * @param dscp differentiated services code point of the packets, from 0 to 63.
         * @throws BusException if it is out of range.
         */
        public Builder dscp(int dscp) {
            return set(ChannelKey.DSCP, Integer.toString(dscp));
        }

        /**
         * @param bytes that a packet must be able to carry: 256, 512, 1024, 2048 or 4096.
         * @throws BusException if it is none of these.
         */
        public Builder pathMtu(int bytes) {
            return set(ChannelKey.PATH_MTU, Integer.toString(bytes));
        }

        /**
         * @param exponent of the time for an acknowledgement, 4.096 us * 2^exponent, from 1 to 31.
         * @throws BusException if it is out of range.
         */
        public Builder ackTimeout(int exponent) {
            return set(ChannelKey.ACK_TIMEOUT, Integer.toString(exponent));
        }

        /**
         * @param count of transport retries before a connection fails, from 0 to 6.
         * @throws BusException if it is out of range.
         */
        public Builder retryCount(int count) {
            return set(ChannelKey.RETRY_COUNT, Integer.toString(count));
        }

        /**
         * @param count of retries while the peer has no receive posted, from 0 to 6, or 7 for
         *     retries without end.
         * @throws BusException if it is out of range.
         */
        public Builder rnrRetryCount(int count) {
            return set(ChannelKey.RNR_RETRY_COUNT, Integer.toString(count));
        }

        /**
         * Makes the channel.
         *
         * @throws BusException if the values contradict each other or do not fit the media.
         */
        public ChannelUri build() {
            return new ChannelUri(media, isSpy, new EnumMap<>(values));
        }
    }
}
