// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Builds a channel. Each setter throws a {@link BusException} if its value is out of the range that
 * {@code docs/reference/channels.md} lists; {@link #build} checks that the values are consistent.
 */
public final class ChannelUriBuilder {
    private final ChannelMedia media;
    private final EnumMap<ChannelKey, Object> values = new EnumMap<>(ChannelKey.class);
    private boolean isSpy;

    ChannelUriBuilder(ChannelMedia media) {
        this.media = media;
    }

    ChannelUriBuilder set(ChannelKey key, Object value) {
        key.check(value);
        values.put(key, value);
        return this;
    }

    ChannelUriBuilder parse(ChannelKey key, String text) {
        values.put(key, key.parse(text));
        return this;
    }

    /**
     * Builds the channel.
     *
     * @throws BusException if the values contradict each other or are not allowed on the media.
     */
    public ChannelUri build() {
        return ChannelRules.checked(
                new ChannelUri(media, false, isSpy, new EnumMap<>(values), Map.of(), null));
    }

    /** Returns the channel with the values set so far, which are not checked for consistency. */
    @Override
    public String toString() {
        return ChannelSyntax.format(media, false, isSpy, values);
    }

    /**
     * Sets {@code term-length}.
     *
     * @param bytes length of a term in bytes.
     */
    public ChannelUriBuilder termLength(int bytes) {
        return set(ChannelKey.TERM_LENGTH, bytes);
    }

    /**
     * Sets {@code mtu}.
     *
     * @param bytes length of the longest frame in bytes.
     */
    public ChannelUriBuilder mtu(int bytes) {
        return set(ChannelKey.MTU, bytes);
    }

    /**
     * Sets {@code session-id}.
     *
     * @param sessionId session id of the publication.
     */
    public ChannelUriBuilder sessionId(int sessionId) {
        return set(ChannelKey.SESSION_ID, sessionId);
    }

    /**
     * Sets the tag of the channel's address in {@code tags}.
     *
     * @param place tag other than -1.
     */
    public ChannelUriBuilder placeTag(long place) {
        return tags(OptionalLong.of(place), tags().publication());
    }

    /**
     * Sets the tag of the publication in {@code tags}.
     *
     * @param publication tag other than -1.
     */
    public ChannelUriBuilder publicationTag(long publication) {
        return tags(tags().place(), OptionalLong.of(publication));
    }

    private ChannelTags tags() {
        return values.get(ChannelKey.TAGS) instanceof ChannelTags tags ? tags : ChannelTags.NONE;
    }

    private ChannelUriBuilder tags(OptionalLong place, OptionalLong publication) {
        return set(ChannelKey.TAGS, new ChannelTags(place, publication));
    }

    /**
     * Sets {@code channel-snd-ts-offset}.
     *
     * @param offset offset in a message at which the sending driver writes the time, or {@link
     *     TimestampSettings#RESERVED}.
     */
    public ChannelUriBuilder sendTimestamp(int offset) {
        return set(ChannelKey.SEND_TIMESTAMP, offset);
    }

    /**
     * Sets {@code channel-rcv-ts-offset}.
     *
     * @param offset offset in a message at which the receiving driver writes the time, or {@link
     *     TimestampSettings#RESERVED}.
     */
    public ChannelUriBuilder receiveTimestamp(int offset) {
        return set(ChannelKey.RECEIVE_TIMESTAMP, offset);
    }

    /**
     * Sets {@code media-rcv-ts-offset}.
     *
     * @param offset offset in a message at which the receiving driver writes the time when the
     *     kernel or the network adapter received the datagram, or {@link
     *     TimestampSettings#RESERVED}.
     */
    public ChannelUriBuilder mediaTimestamp(int offset) {
        return set(ChannelKey.MEDIA_TIMESTAMP, offset);
    }

    /**
     * Sets {@code response-correlation-id}.
     *
     * @param id for requests, id of the response subscription; for responses, id of the request
     *     image or {@link ResponseLink#PROTOTYPE}.
     */
    public ChannelUriBuilder responseCorrelationId(long id) {
        return set(ChannelKey.RESPONSE_ID, id);
    }

    /**
     * Sets {@code session-id} to the session of another publication.
     *
     * @param tag tag of that publication.
     */
    public ChannelUriBuilder sessionTag(long tag) {
        return set(ChannelKey.SESSION_ID, new ValueForm.SessionTag(tag));
    }

    /**
     * Sets {@code init-term-id}, {@code term-id} and {@code term-offset}.
     *
     * @param start position at which the publication starts.
     */
    public ChannelUriBuilder start(StreamStart start) {
        set(ChannelKey.INITIAL_TERM_ID, start.initialTermId());
        set(ChannelKey.TERM_ID, start.termId());
        return set(ChannelKey.TERM_OFFSET, start.termOffset());
    }

    /**
     * Sets {@code eos}.
     *
     * @param tells whether the driver signals the end of the stream to receivers.
     */
    public ChannelUriBuilder tellsEnd(boolean tells) {
        return set(ChannelKey.END_OF_STREAM, tells);
    }

    /**
     * Sets {@code alias}.
     *
     * @param name human-readable name.
     */
    public ChannelUriBuilder alias(String name) {
        return parse(ChannelKey.ALIAS, name);
    }

    /**
     * Sets {@code window}.
     *
     * @param bytes number of bytes by which a publisher may be ahead of the subscribers.
     */
    public ChannelUriBuilder window(int bytes) {
        return set(ChannelKey.WINDOW, bytes);
    }

    /**
     * Sets {@code reliable}.
     *
     * @param reliable whether a subscription requests lost frames again.
     */
    public ChannelUriBuilder reliable(boolean reliable) {
        return set(ChannelKey.RELIABLE, reliable);
    }

    /**
     * Sets {@code cc}.
     *
     * @param control congestion control of a subscription: {@code static} or {@code cubic}.
     */
    public ChannelUriBuilder congestionControl(String control) {
        return parse(ChannelKey.CONGESTION_CONTROL, control);
    }

    /**
     * Sets {@code pub-wnd}.
     *
     * @param bytes number of bytes by which a publisher may be ahead of the sender, or on IPC of
     *     the subscribers.
     */
    public ChannelUriBuilder publicationWindow(int bytes) {
        return set(ChannelKey.PUBLICATION_WINDOW, bytes);
    }

    /**
     * Sets {@code so-sndbuf}.
     *
     * @param bytes length of the socket's send buffer in bytes.
     */
    public ChannelUriBuilder sendBuffer(int bytes) {
        return set(ChannelKey.SEND_BUFFER, bytes);
    }

    /**
     * Sets {@code so-rcvbuf}.
     *
     * @param bytes length of the socket's receive buffer in bytes.
     */
    public ChannelUriBuilder receiveBuffer(int bytes) {
        return set(ChannelKey.RECEIVE_BUFFER, bytes);
    }

    /**
     * Sets {@code nak-delay}.
     *
     * @param time how long a subscription waits for reordered frames before it requests a gap.
     */
    public ChannelUriBuilder nakDelay(Duration time) {
        return set(ChannelKey.NAK_DELAY, time);
    }

    /**
     * Sets {@code max-resend}.
     *
     * @param ranges number of ranges that a publication resends concurrently.
     */
    public ChannelUriBuilder maxResend(int ranges) {
        return set(ChannelKey.MAX_RESEND, ranges);
    }

    /**
     * Sets {@code group}.
     *
     * @param group whether a subscription assumes that its stream has other receivers.
     */
    public ChannelUriBuilder group(boolean group) {
        return set(ChannelKey.GROUP, group);
    }

    /**
     * Sets {@code tether}.
     *
     * @param tether whether a slow subscriber back-pressures the publisher; if not, the driver
     *     detaches one that lags too far.
     */
    public ChannelUriBuilder tether(boolean tether) {
        return set(ChannelKey.TETHER, tether);
    }

    /**
     * Sets {@code rejoin}.
     *
     * @param rejoin whether a detached subscriber rejoins, and a lost or rejected stream is
     *     received again.
     */
    public ChannelUriBuilder rejoin(boolean rejoin) {
        return set(ChannelKey.REJOIN, rejoin);
    }

    /**
     * Sets {@code untethered-window-limit-timeout}.
     *
     * @param time how long an untethered subscriber may lag before it is detached.
     */
    public ChannelUriBuilder untetheredWindowLimit(Duration time) {
        return set(ChannelKey.UNTETHERED_WINDOW_LIMIT, time);
    }

    /**
     * Sets {@code untethered-linger-timeout}.
     *
     * @param time how long a detached subscriber still back-pressures the stream.
     */
    public ChannelUriBuilder untetheredLinger(Duration time) {
        return set(ChannelKey.UNTETHERED_LINGER, time);
    }

    /**
     * Sets {@code untethered-resting-timeout}.
     *
     * @param time time from the end of the linger timeout until a detached subscriber rejoins.
     */
    public ChannelUriBuilder untetheredResting(Duration time) {
        return set(ChannelKey.UNTETHERED_RESTING, time);
    }

    /**
     * Sets {@code stream-id}.
     *
     * @param streamId the only stream that may be added on the channel.
     */
    public ChannelUriBuilder streamId(int streamId) {
        return set(ChannelKey.STREAM_ID, streamId);
    }

    /**
     * Sets {@code fc}.
     *
     * @param receiver receiver that limits the publication, such as {@code max}, {@code min},
     *     {@code min,g:/3} or {@code tagged,g:7/3,t:2s}.
     */
    public ChannelUriBuilder flowControl(String receiver) {
        return parse(ChannelKey.FLOW_CONTROL, receiver);
    }

    /**
     * Sets {@code gtag}.
     *
     * @param tag tag of a subscription's receiver.
     */
    public ChannelUriBuilder groupTag(long tag) {
        return set(ChannelKey.GROUP_TAG, tag);
    }

    /**
     * Sets {@code control}.
     *
     * @param control address at which a subscription's receiver announces itself to publications.
     */
    public ChannelUriBuilder control(String control) {
        return parse(ChannelKey.CONTROL, control);
    }

    /**
     * Sets {@code ssc}.
     *
     * @param connect whether spies alone connect a publication.
     */
    public ChannelUriBuilder spiesConnect(boolean connect) {
        return set(ChannelKey.SPIES_CONNECT, connect);
    }

    /**
     * Makes the channel that of a spy, a subscription that reads the publication in the same
     * driver.
     */
    public ChannelUriBuilder spy() {
        isSpy = true;
        return this;
    }

    /**
     * Sets {@code linger}.
     *
     * @param time how long a closed publication still resends lost frames.
     */
    public ChannelUriBuilder linger(Duration time) {
        return set(ChannelKey.LINGER, time);
    }

    /**
     * Sets {@code ttl}.
     *
     * @param hops maximum number of hops of datagrams.
     */
    public ChannelUriBuilder ttl(int hops) {
        return set(ChannelKey.TTL, hops);
    }

    /**
     * Sets {@code interface}.
     *
     * @param address address to send from: an IP address or host name of this host, a subnet such
     *     as {@code 10.1.0.0/16}, or <code>{eth0}</code>.
     */
    public ChannelUriBuilder interfaceAddress(String address) {
        return parse(ChannelKey.INTERFACE, address);
    }

    /**
     * Sets {@code device}.
     *
     * @param name name of the RDMA device that must carry the channel.
     */
    public ChannelUriBuilder device(String name) {
        return parse(ChannelKey.DEVICE, name);
    }

    /**
     * Sets {@code traffic-class}.
     *
     * @param trafficClass traffic class of the packets.
     */
    public ChannelUriBuilder trafficClass(int trafficClass) {
        return set(ChannelKey.TRAFFIC_CLASS, trafficClass);
    }

    /**
     * Sets {@code dscp}.
     *
     * @param dscp differentiated services code point of the packets.
     */
    public ChannelUriBuilder dscp(int dscp) {
        return set(ChannelKey.DSCP, dscp);
    }

    /**
     * Sets {@code path-mtu}.
     *
     * @param bytes payload that packets must be able to carry: 256, 512, 1024, 2048 or 4096.
     */
    public ChannelUriBuilder pathMtu(int bytes) {
        return set(ChannelKey.PATH_MTU, bytes);
    }

    /**
     * Sets {@code ack-timeout}.
     *
     * @param exponent exponent of the time to wait for an acknowledgement, 4.096 us * 2^exponent.
     */
    public ChannelUriBuilder ackTimeout(int exponent) {
        return set(ChannelKey.ACK_TIMEOUT, exponent);
    }

    /**
     * Sets {@code retry-count}.
     *
     * @param count number of transport retries before a connection fails.
     */
    public ChannelUriBuilder retryCount(int count) {
        return set(ChannelKey.RETRY_COUNT, count);
    }

    /**
     * Sets {@code rnr-retry-count}.
     *
     * @param count number of retries while the peer has no receive posted.
     */
    public ChannelUriBuilder rnrRetryCount(int count) {
        return set(ChannelKey.RNR_RETRY_COUNT, count);
    }
}
