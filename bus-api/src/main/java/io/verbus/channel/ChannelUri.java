// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The channel of a publication or subscription.
 *
 * <pre>
 *  verbus:ipc[?key=value|key=value...]
 *  verbus:rdma?endpoint=host:port[|key=value...]
 *  verbus:udp?endpoint=host:port[|key=value...]
 *  verbus:rdma?control-mode=manual[|key=value...]                   destinations added one by one
 *  verbus:udp?control-mode=manual[|key=value...]                    the same
 *  verbus:rdma?control=host:port|control-mode=dynamic[|key=value...] receivers announce themselves
 *  verbus:udp?control=host:port|control-mode=dynamic[|key=value...]  the same
 *  verbus:rdma?control=host:port|control-mode=response[|key=value...] see {@link ResponseLink}
 *  verbus:udp?control=host:port|control-mode=response[|key=value...]  the same
 *  verbus-spy:...              reads the publication of that channel in the same driver, in place
 * </pre>
 *
 * {@code docs/reference/channels.md} lists the keys of each media.
 *
 * <p>Channels that start with {@code verbus:} or {@code verbus-spy:} are parsed strictly: an
 * unknown media or key, an invalid value, a repeated key, or contradicting values are rejected.
 * Both ends of a stream may use the same channel: each checks, then ignores the keys that only the
 * other reads. Channels that start with {@code aeron:} or {@code aeron-spy:aeron:} are parsed
 * leniently, as by Aeron: keys that are unknown or have no effect are ignored, but keys that would
 * change the stream and that Verbus does not support are rejected.
 *
 * <p>Instances are immutable. Channels with the same meaning, in one notation, are equal and have
 * the same text.
 */
public final class ChannelUri {
    /** Default term length in bytes. */
    public static final int DEFAULT_TERM_LENGTH = 16 * 1024 * 1024;

    /** Default length of the longest frame in bytes. */
    public static final int DEFAULT_MTU = 8192;

    /** Default length in bytes of the longest frame over UDP, which fits into an Ethernet frame. */
    public static final int DEFAULT_UDP_MTU = 1408;

    /** Maximum length of a channel's text. */
    public static final int MAX_LENGTH = 4095;

    private final ChannelMedia media;
    private final boolean isAeron;
    private final boolean isSpy;
    private final Map<ChannelKey, Object> values;
    private final Map<ChannelKey, BusException> faults;
    private final String text;
    private final String written;

    /**
     * Creates a channel of values that are known to be consistent; {@link ChannelRules#checked} is
     * for others.
     *
     * @param faults invalid values that concern only the end of the stream that reads their keys.
     * @param written text that the channel was parsed from; null for the canonical text.
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
    }

    /**
     * Parses a channel.
     *
     * @param text text such as {@code verbus:rdma?endpoint=10.0.0.2:7400|term-length=64m}.
     * @return the channel.
     * @throws BusException if the text is invalid; the message says what would be valid.
     */
    public static ChannelUri parse(String text) {
        return ChannelSyntax.parse(text);
    }

    /**
     * Returns a builder of an IPC channel, through the shared memory of one host.
     *
     * @return the builder.
     */
    public static ChannelUriBuilder ipc() {
        return new ChannelUriBuilder(ChannelMedia.IPC);
    }

    /**
     * Returns a builder of an RDMA channel.
     *
     * @param endpoint address at which the subscribing driver listens, such as {@code
     *     10.0.0.2:7400}, {@code [fe80::1]:7400} or {@code host.example:7400}.
     * @return the builder.
     * @throws BusException if the endpoint is invalid.
     */
    public static ChannelUriBuilder rdma(String endpoint) {
        return new ChannelUriBuilder(ChannelMedia.RDMA).parse(ChannelKey.ENDPOINT, endpoint);
    }

    /**
     * Returns a builder of a UDP channel.
     *
     * @param endpoint address at which the subscribing driver receives, such as {@code
     *     10.0.0.2:40123}.
     * @return the builder.
     * @throws BusException if the endpoint is invalid.
     */
    public static ChannelUriBuilder udp(String endpoint) {
        return new ChannelUriBuilder(ChannelMedia.UDP).parse(ChannelKey.ENDPOINT, endpoint);
    }

    /**
     * Returns a builder of an RDMA channel of a publication whose destinations are added one by
     * one.
     *
     * @return the builder.
     */
    public static ChannelUriBuilder rdmaManual() {
        return new ChannelUriBuilder(ChannelMedia.RDMA)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.MANUAL);
    }

    /**
     * Returns a builder of a UDP channel of a publication whose destinations are added one by one.
     *
     * @return the builder.
     */
    public static ChannelUriBuilder udpManual() {
        return new ChannelUriBuilder(ChannelMedia.UDP)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.MANUAL);
    }

    /**
     * Returns a builder of a UDP channel of a publication whose receivers announce themselves.
     *
     * @param control address at which receivers announce themselves, such as {@code
     *     10.0.0.1:40124}.
     * @return the builder.
     * @throws BusException if the address is invalid.
     */
    public static ChannelUriBuilder udpDynamic(String control) {
        return new ChannelUriBuilder(ChannelMedia.UDP)
                .parse(ChannelKey.CONTROL, control)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.DYNAMIC);
    }

    /**
     * Returns a builder of an RDMA channel of a publication whose receivers announce themselves.
     *
     * @param control address at which receivers announce themselves, such as {@code 10.0.0.1:7401}.
     * @return the builder.
     * @throws BusException if the address is invalid.
     */
    public static ChannelUriBuilder rdmaDynamic(String control) {
        return new ChannelUriBuilder(ChannelMedia.RDMA)
                .parse(ChannelKey.CONTROL, control)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.DYNAMIC);
    }

    /**
     * Returns a builder of an RDMA channel of responses, see {@link ResponseLink}.
     *
     * @param control address at which requesters ask for responses, such as {@code 10.0.0.1:7401}.
     * @return the builder.
     * @throws BusException if the address is invalid.
     */
    public static ChannelUriBuilder rdmaResponses(String control) {
        return new ChannelUriBuilder(ChannelMedia.RDMA)
                .parse(ChannelKey.CONTROL, control)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.RESPONSE);
    }

    /**
     * Returns a builder of a UDP channel of responses, see {@link ResponseLink}.
     *
     * @param control address that sends the responses, such as {@code 10.0.0.1:40124}.
     * @return the builder.
     * @throws BusException if the address is invalid.
     */
    public static ChannelUriBuilder udpResponses(String control) {
        return new ChannelUriBuilder(ChannelMedia.UDP)
                .parse(ChannelKey.CONTROL, control)
                .set(ChannelKey.CONTROL_MODE, ChannelKey.RESPONSE);
    }

    /** Returns the media. */
    ChannelMedia carrier() {
        return media;
    }

    /** Returns the values of the keys that the channel sets, unmodifiable. */
    Map<ChannelKey, Object> values() {
        return values;
    }

    /** Returns this channel with other values, which are known to be consistent. */
    ChannelUri withValues(EnumMap<ChannelKey, Object> others) {
        return new ChannelUri(media, isAeron, isSpy, others, faults, written);
    }

    /**
     * Returns the name of the media, as transports use it: {@code ipc}, {@code rdma} or {@code
     * udp}.
     */
    public String media() {
        return media.text();
    }

    /** Returns whether the channel uses only shared memory of this host. */
    public boolean isIpc() {
        return media == ChannelMedia.IPC;
    }

    /**
     * Returns the address at which the subscribing driver receives.
     *
     * @throws BusException if the channel has no endpoint.
     */
    public Endpoint endpoint() {
        if (values.get(ChannelKey.ENDPOINT) instanceof Endpoint endpoint) {
            return endpoint;
        }
        throw new BusException("channel '" + this + "' has no endpoint: call hasEndpoint first");
    }

    /** Returns whether the channel has an endpoint. */
    public boolean hasEndpoint() {
        return values.containsKey(ChannelKey.ENDPOINT);
    }

    /**
     * Returns the address at which receivers announce themselves to a publication; null if unset.
     */
    public Endpoint control() {
        return (Endpoint) values.get(ChannelKey.CONTROL);
    }

    /** Returns whether a publication's destinations are added one by one. */
    public boolean isManual() {
        return ChannelKey.MANUAL.equals(values.get(ChannelKey.CONTROL_MODE));
    }

    /** Returns whether a publication's receivers announce themselves. */
    public boolean isDynamic() {
        return ChannelKey.DYNAMIC.equals(values.get(ChannelKey.CONTROL_MODE));
    }

    /** Returns the channel's settings for requests and responses. */
    public ResponseLink response() {
        return ResponseLink.of(values);
    }

    /** Returns whether the channel is in Aeron's notation, which is parsed leniently. */
    public boolean isAeron() {
        return isAeron;
    }

    /** Returns whether a subscription reads the log of a publication in the same driver. */
    public boolean isSpy() {
        return isSpy;
    }

    /** Returns whether spies alone connect a publication. */
    public boolean spiesConnect() {
        return Boolean.TRUE.equals(values.get(ChannelKey.SPIES_CONNECT));
    }

    /** Returns the local address to send from, or to join a group on; null for any. */
    public LocalInterface localInterface() {
        return (LocalInterface) values.get(ChannelKey.INTERFACE);
    }

    /** Returns the name of the local address to resolve; null for any. */
    public String interfaceAddress() {
        return localInterface() == null ? null : localInterface().name();
    }

    /**
     * Returns the name of the local address from which RDMA connects; null for any. In an Aeron
     * channel with an endpoint, {@code control} also sets it.
     */
    public String sourceHost() {
        boolean isControls = interfaceAddress() == null && hasEndpoint() && control() != null;
        return isControls ? control().host() : interfaceAddress();
    }

    /**
     * Returns the names or IP addresses of the hosts that the channel refers to; empty for a spy,
     * which reads local memory.
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

    /** Returns the term length of the publication's log in bytes. */
    public int termLength() {
        return ChannelKey.TERM_LENGTH.number(values).orElse(DEFAULT_TERM_LENGTH);
    }

    /** Returns whether the channel sets the term length. */
    public boolean hasTermLength() {
        return values.containsKey(ChannelKey.TERM_LENGTH);
    }

    /** Returns the length in bytes of the publication's longest frame, including its header. */
    public int mtu() {
        return mtu(DEFAULT_MTU);
    }

    /**
     * Returns the length in bytes of the publication's longest frame, including its header.
     *
     * @param preset default length; capped at {@link #DEFAULT_UDP_MTU} over UDP, and on IPC in an
     *     Aeron channel.
     */
    public int mtu(int preset) {
        boolean isShort = media == ChannelMedia.UDP || isAeron && media == ChannelMedia.IPC;
        return ChannelKey.MTU
                .number(values)
                .orElse(isShort ? Math.min(preset, DEFAULT_UDP_MTU) : preset);
    }

    /** Returns whether the channel sets the MTU. */
    public boolean hasMtu() {
        return values.containsKey(ChannelKey.MTU);
    }

    /** Returns the publication's session id; empty if the driver chooses one. */
    public OptionalInt sessionId() {
        return ChannelKey.SESSION_ID.number(values);
    }

    /** Returns the tag of the publication whose session the channel uses; empty if unset. */
    public OptionalLong sessionTag() {
        return values.get(ChannelKey.SESSION_ID) instanceof ValueForm.SessionTag(long tag)
                ? OptionalLong.of(tag)
                : OptionalLong.empty();
    }

    /** Returns the tags by which other channels of the same driver may refer to this one. */
    public ChannelTags tags() {
        return values.get(ChannelKey.TAGS) instanceof ChannelTags tags ? tags : ChannelTags.NONE;
    }

    /** Returns where the publication starts; null for its first term. */
    public StreamStart start() {
        return StreamStart.of(values);
    }

    /** Returns whether the driver signals the end of the stream to receivers. */
    public boolean tellsEnd() {
        return !Boolean.FALSE.equals(values.get(ChannelKey.END_OF_STREAM));
    }

    /** Returns how many bytes a publisher may be ahead of the subscribers; empty if unset. */
    public OptionalInt window() {
        return ChannelKey.WINDOW.number(values);
    }

    /** Returns how many bytes a publisher may be ahead of the sender; empty if unset. */
    public OptionalInt publicationWindow() {
        return ChannelKey.PUBLICATION_WINDOW.number(values);
    }

    /** Returns the channel's settings for datagrams. */
    public DatagramSettings datagrams() {
        return DatagramSettings.of(values);
    }

    /** Returns where drivers write times into messages. */
    public TimestampSettings timestamps() {
        return TimestampSettings.of(values);
    }

    /**
     * Checks that a stream may be added on this channel.
     *
     * @throws InvalidChannelException if the channel is restricted to another stream.
     */
    public void checkStream(int streamId) {
        ChannelRules.checkStream(this, values, streamId);
    }

    /** Returns how slow subscribers are handled. */
    public TetherSettings tether() {
        return TetherSettings.of(values);
    }

    /** Returns the channel's settings for the RDMA fabric. */
    public FabricSettings fabric() {
        return FabricSettings.of(values);
    }

    /** Returns which receiver of a group limits the publication; null if the driver chooses. */
    public FlowChoice flow() {
        return (FlowChoice) values.get(ChannelKey.FLOW_CONTROL);
    }

    /** Returns the tag of a subscription's receiver; empty if none. */
    public OptionalLong groupTag() {
        return values.get(ChannelKey.GROUP_TAG) instanceof Long value
                ? OptionalLong.of(value)
                : OptionalLong.empty();
    }

    /** Returns the channel's human-readable name; null if there is none. */
    public String alias() {
        return (String) values.get(ChannelKey.ALIAS);
    }

    /**
     * Checks that a publication can be added on this channel.
     *
     * @throws BusException if the channel has no port to send to, or is for subscriptions only.
     */
    public void checkPublishable() {
        ChannelRules.checkPublishable(this, values, faults);
    }

    /**
     * Checks that a subscription can be added on this channel.
     *
     * @throws BusException if the channel is for publications only.
     */
    public void checkSubscribable() {
        ChannelRules.checkSubscribable(this, values, faults);
    }

    /**
     * Checks that this network channel can be a destination of a subscription.
     *
     * @throws BusException if the channel has no endpoint, or is for publications only.
     */
    public void checkReceiveDestination() {
        DestinationRules.checkOfSubscription(this, values, faults);
    }

    /**
     * Checks that this channel can be a destination of a publication.
     *
     * @throws BusException if the channel has no endpoint, or keys that a destination must not
     *     have.
     */
    public void checkDestination() {
        DestinationRules.checkOfPublication(this, values);
    }

    /** Returns the text that the channel was parsed from, for messages. */
    public String written() {
        return written;
    }

    /** Returns the canonical text of the channel; {@link #parse} returns an equal channel. */
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
}
