// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
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
 * </pre>
 *
 * The keys, for every media: {@code term-length} (bytes of a term of the publication's log), {@code
 * mtu} (bytes of its longest frame), {@code session-id} (of the publication; random if not set) and
 * {@code alias} (a name for people). For {@code rdma} also {@code endpoint} (where the subscribing
 * driver listens: an IPv4 address, an IPv6 address in brackets or a host name, and a port), {@code
 * interface} (the local address from which the publishing driver connects) and {@code window}
 * (bytes that the subscribing driver lets a publisher be ahead of its subscribers). For {@code udp}
 * the same, and {@code reliable} (of a subscription: whether what was lost is asked for again, or
 * skipped), {@code fc} (which receiver of a multicast group decides how far a publication goes,
 * {@code max}, {@code min}, or {@code tagged,g:TAG} for the slowest of those with a tag), {@code
 * gtag} (the tag of a subscription), {@code linger} (how long a publication that was closed answers
 * for what was lost) and {@code ttl} (hops that a publication's datagrams may take). Sizes may end
 * in {@code k}, {@code m} or {@code g}, durations end in {@code ns}, {@code us}, {@code ms} or
 * {@code s}.
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
    private final Map<ChannelKey, Object> values;
    private final String text;

    ChannelUri(ChannelMedia media, EnumMap<ChannelKey, Object> values) {
        this.media = media;
        this.values = Collections.unmodifiableMap(values);
        this.text = ChannelSyntax.format(media, values);
        ChannelSyntax.check(media, values, this);
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
        throw new BusException("channel '" + this + "' has no endpoint: its media needs none");
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

    /** Whether a subscription asks again for what was lost on the way. */
    public boolean isReliable() {
        return !Boolean.FALSE.equals(values.get(ChannelKey.RELIABLE));
    }

    /** Whether the channel itself says if it is reliable. */
    public boolean hasReliable() {
        return values.containsKey(ChannelKey.RELIABLE);
    }

    /**
     * Which receiver of a group decides: {@code max}, {@code min} or {@code tagged,g:TAG}; null if
     * not said.
     */
    public String flowControl() {
        return (String) values.get(ChannelKey.FLOW_CONTROL);
    }

    /** Tag of the receivers that decide; empty if any may. */
    public OptionalLong flowControlTag() {
        String text = flowControl();
        return text != null && text.startsWith(ChannelKey.TAGGED)
                ? OptionalLong.of(Long.parseLong(text.substring(ChannelKey.TAGGED.length())))
                : OptionalLong.empty();
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
     * @throws BusException if it names no port to send to.
     */
    public void checkPublishable() {
        if (values.get(ChannelKey.ENDPOINT) instanceof Endpoint endpoint && endpoint.port() == 0) {
            throw new BusException(
                    "channel '"
                            + this
                            + "' has port 0, which only a subscription can use: name the port at"
                            + " which the subscribing driver listens");
        }
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
         * @param receiver of a multicast group that decides: {@code max}, {@code min}, or {@code
         *     tagged,g:TAG}.
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
         * Makes the channel.
         *
         * @throws BusException if the values contradict each other or do not fit the media.
         */
        public ChannelUri build() {
            return new ChannelUri(media, new EnumMap<>(values));
        }
    }
}
