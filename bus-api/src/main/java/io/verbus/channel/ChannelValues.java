// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.time.Duration;
import java.util.EnumMap;
import java.util.OptionalLong;

/**
 * The setters of {@link ChannelUri.Builder}, one for each key. Each checks only its own value;
 * {@link ChannelKey} specifies the ranges.
 */
abstract sealed class ChannelValues permits ChannelUri.Builder {
    final EnumMap<ChannelKey, Object> values = new EnumMap<>(ChannelKey.class);
    boolean isSpy;

    final ChannelUri.Builder set(ChannelKey key, String value) {
        values.put(key, key.parse(value));
        return self();
    }

    private ChannelUri.Builder self() {
        return (ChannelUri.Builder) this; // the only permitted subclass
    }

    /**
     * Sets {@code term-length}.
     *
     * @param bytes length of a term in bytes.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder termLength(int bytes) {
        return set(ChannelKey.TERM_LENGTH, Integer.toString(bytes));
    }

    /**
     * Sets {@code mtu}.
     *
     * @param bytes length of the longest frame in bytes.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder mtu(int bytes) {
        return set(ChannelKey.MTU, Integer.toString(bytes));
    }

    /**
     * Sets {@code session-id}.
     *
     * @param sessionId session id of the publication.
     */
    public ChannelUri.Builder sessionId(int sessionId) {
        return set(ChannelKey.SESSION_ID, Integer.toString(sessionId));
    }

    /**
     * Sets the tag of the channel's address in {@code tags}.
     *
     * @param place tag other than -1.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder placeTag(long place) {
        return tags(OptionalLong.of(place), tags().publication());
    }

    /**
     * Sets the tag of the publication in {@code tags}.
     *
     * @param publication tag other than -1.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder publicationTag(long publication) {
        return tags(tags().place(), OptionalLong.of(publication));
    }

    private ChannelTags tags() {
        return values.get(ChannelKey.TAGS) instanceof ChannelTags tags ? tags : ChannelTags.NONE;
    }

    private ChannelUri.Builder tags(OptionalLong place, OptionalLong publication) {
        return set(ChannelKey.TAGS, new ChannelTags(place, publication).toString());
    }

    /**
     * Sets {@code channel-snd-ts-offset}.
     *
     * @param offset offset in a message at which the sending driver writes the time, or {@link
     *     ChannelUri#RESERVED_TIMESTAMP}.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder sendTimestamp(int offset) {
        return set(ChannelKey.SEND_TIMESTAMP, ValueForm.TIMESTAMP.writer().apply(offset));
    }

    /**
     * Sets {@code channel-rcv-ts-offset}.
     *
     * @param offset offset in a message at which the receiving driver writes the time, or {@link
     *     ChannelUri#RESERVED_TIMESTAMP}.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder receiveTimestamp(int offset) {
        return set(ChannelKey.RECEIVE_TIMESTAMP, ValueForm.TIMESTAMP.writer().apply(offset));
    }

    /**
     * Sets {@code media-rcv-ts-offset}.
     *
     * @param offset offset in a message at which the receiving driver writes when the kernel or the
     *     network adapter received it, or {@link ChannelUri#RESERVED_TIMESTAMP}.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder mediaTimestamp(int offset) {
        return set(ChannelKey.MEDIA_TIMESTAMP, ValueForm.TIMESTAMP.writer().apply(offset));
    }

    /**
     * Sets {@code response-correlation-id}.
     *
     * @param id for requests, id of the response subscription; for responses, id of the request
     *     image or {@link ResponseLink#PROTOTYPE}.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder responseCorrelationId(long id) {
        return set(
                ChannelKey.RESPONSE_ID,
                id == ResponseLink.PROTOTYPE ? ResponseLink.PROTOTYPE_TEXT : Long.toString(id));
    }

    /**
     * Sets {@code session-id} to the session of another publication.
     *
     * @param tag tag of that publication.
     */
    public ChannelUri.Builder sessionTag(long tag) {
        return set(ChannelKey.SESSION_ID, new ValueForm.SessionTag(tag).toString());
    }

    /**
     * Sets {@code init-term-id}, {@code term-id} and {@code term-offset}.
     *
     * @param start where the publication starts.
     */
    public ChannelUri.Builder start(StreamStart start) {
        set(ChannelKey.INITIAL_TERM_ID, Integer.toString(start.initialTermId()));
        set(ChannelKey.TERM_ID, Integer.toString(start.termId()));
        return set(ChannelKey.TERM_OFFSET, Integer.toString(start.termOffset()));
    }

    /**
     * Sets {@code eos}.
     *
     * @param tells whether the driver signals the end of the stream to receivers.
     */
    public ChannelUri.Builder tellsEnd(boolean tells) {
        return set(ChannelKey.END_OF_STREAM, Boolean.toString(tells));
    }

    /**
     * Sets {@code alias}.
     *
     * @param name human-readable name.
     * @throws BusException if the name is invalid.
     */
    public ChannelUri.Builder alias(String name) {
        return set(ChannelKey.ALIAS, name);
    }

    /**
     * Sets {@code window}.
     *
     * @param bytes how many bytes a publisher may be ahead of the subscribers.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder window(int bytes) {
        return set(ChannelKey.WINDOW, Integer.toString(bytes));
    }

    /**
     * Sets {@code reliable}.
     *
     * @param reliable whether a subscription requests lost frames again.
     */
    public ChannelUri.Builder reliable(boolean reliable) {
        return set(ChannelKey.RELIABLE, Boolean.toString(reliable));
    }

    /**
     * Sets {@code cc}.
     *
     * @param control congestion control of a subscription: {@code static} or {@code cubic}.
     * @throws BusException if the value is invalid.
     */
    public ChannelUri.Builder congestionControl(String control) {
        return set(ChannelKey.CONGESTION_CONTROL, control);
    }

    /**
     * Sets {@code pub-wnd}.
     *
     * @param bytes how many bytes a publisher may be ahead of the sender, or on IPC of the
     *     subscribers.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder publicationWindow(int bytes) {
        return set(ChannelKey.PUBLICATION_WINDOW, Integer.toString(bytes));
    }

    /**
     * Sets {@code so-sndbuf}.
     *
     * @param bytes length of the socket's send buffer in bytes.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder sendBuffer(int bytes) {
        return set(ChannelKey.SEND_BUFFER, Integer.toString(bytes));
    }

    /**
     * Sets {@code so-rcvbuf}.
     *
     * @param bytes length of the socket's receive buffer in bytes.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder receiveBuffer(int bytes) {
        return set(ChannelKey.RECEIVE_BUFFER, Integer.toString(bytes));
    }

    /**
     * Sets {@code nak-delay}.
     *
     * @param time how long a subscription waits for reordered frames before it requests a gap.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder nakDelay(Duration time) {
        return set(ChannelKey.NAK_DELAY, time.toNanos() + "ns");
    }

    /**
     * Sets {@code max-resend}.
     *
     * @param ranges number of ranges that a publication resends concurrently.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder maxResend(int ranges) {
        return set(ChannelKey.MAX_RESEND, Integer.toString(ranges));
    }

    /**
     * Sets {@code group}.
     *
     * @param group whether a subscription assumes that its stream has other receivers.
     */
    public ChannelUri.Builder group(boolean group) {
        return set(ChannelKey.GROUP, Boolean.toString(group));
    }

    /**
     * Sets {@code tether}.
     *
     * @param tether whether a slow subscriber back-pressures the publisher; if not, the driver
     *     detaches one that lags too far.
     */
    public ChannelUri.Builder tether(boolean tether) {
        return set(ChannelKey.TETHER, Boolean.toString(tether));
    }

    /**
     * Sets {@code rejoin}.
     *
     * @param rejoin whether a detached subscriber rejoins, and a lost or rejected stream is
     *     received again.
     */
    public ChannelUri.Builder rejoin(boolean rejoin) {
        return set(ChannelKey.REJOIN, Boolean.toString(rejoin));
    }

    /**
     * Sets {@code untethered-window-limit-timeout}.
     *
     * @param time how long an untethered subscriber may lag before it is detached.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder untetheredWindowLimit(Duration time) {
        return set(ChannelKey.UNTETHERED_WINDOW_LIMIT, time.toNanos() + "ns");
    }

    /**
     * Sets {@code untethered-linger-timeout}.
     *
     * @param time how long a detached subscriber still back-pressures the stream.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder untetheredLinger(Duration time) {
        return set(ChannelKey.UNTETHERED_LINGER, time.toNanos() + "ns");
    }

    /**
     * Sets {@code untethered-resting-timeout}.
     *
     * @param time time from the end of the linger timeout until a detached subscriber rejoins.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder untetheredResting(Duration time) {
        return set(ChannelKey.UNTETHERED_RESTING, time.toNanos() + "ns");
    }

    /**
     * Sets {@code stream-id}.
     *
     * @param streamId the only stream that may be added on the channel.
     */
    public ChannelUri.Builder streamId(int streamId) {
        return set(ChannelKey.STREAM_ID, Integer.toString(streamId));
    }

    /**
     * Sets {@code fc}.
     *
     * @param receiver receiver that limits the publication, such as {@code max}, {@code min},
     *     {@code min,g:/3} or {@code tagged,g:7/3,t:2s}.
     * @throws BusException if the value is invalid.
     */
    public ChannelUri.Builder flowControl(String receiver) {
        return set(ChannelKey.FLOW_CONTROL, receiver);
    }

    /**
     * Sets {@code gtag}.
     *
     * @param tag tag of a subscription's receiver.
     */
    public ChannelUri.Builder groupTag(long tag) {
        return set(ChannelKey.GROUP_TAG, Long.toString(tag));
    }

    /**
     * Sets {@code control}.
     *
     * @param control address at which a subscription's receiver announces itself to publications.
     * @throws BusException if the address is invalid.
     */
    public ChannelUri.Builder control(String control) {
        return set(ChannelKey.CONTROL, control);
    }

    /**
     * Sets {@code ssc}.
     *
     * @param connect whether spies alone connect a publication.
     */
    public ChannelUri.Builder spiesConnect(boolean connect) {
        return set(ChannelKey.SPIES_CONNECT, Boolean.toString(connect));
    }

    /**
     * Makes the channel that of a spy, a subscription that reads the publication in the same
     * driver.
     */
    public ChannelUri.Builder spy() {
        isSpy = true;
        return self();
    }

    /**
     * Sets {@code linger}.
     *
     * @param time how long a closed publication still resends lost frames.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder linger(Duration time) {
        return set(ChannelKey.LINGER, time.toNanos() + "ns");
    }

    /**
     * Sets {@code ttl}.
     *
     * @param hops maximum number of hops of datagrams.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder ttl(int hops) {
        return set(ChannelKey.TTL, Integer.toString(hops));
    }

    /**
     * Sets {@code interface}.
     *
     * @param address address to send from: an IP address or host name of this host, a subnet such
     *     as {@code 10.1.0.0/16}, or <code>{eth0}</code>.
     * @throws BusException if the address is invalid.
     */
    public ChannelUri.Builder interfaceAddress(String address) {
        return set(ChannelKey.INTERFACE, address);
    }

    /**
     * Sets {@code device}.
     *
     * @param name name of the RDMA device that must carry the channel.
     * @throws BusException if the name is invalid.
     */
    public ChannelUri.Builder device(String name) {
        return set(ChannelKey.DEVICE, name);
    }

    /**
     * Sets {@code traffic-class}.
     *
     * @param trafficClass traffic class of the packets.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder trafficClass(int trafficClass) {
        return set(ChannelKey.TRAFFIC_CLASS, Integer.toString(trafficClass));
    }

    /**
     * Sets {@code dscp}.
     *
     * @param dscp differentiated services code point of the packets.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder dscp(int dscp) {
        return set(ChannelKey.DSCP, Integer.toString(dscp));
    }

    /**
     * Sets {@code path-mtu}.
     *
     * @param bytes payload that packets must be able to carry: 256, 512, 1024, 2048 or 4096.
     * @throws BusException if the value is invalid.
     */
    public ChannelUri.Builder pathMtu(int bytes) {
        return set(ChannelKey.PATH_MTU, Integer.toString(bytes));
    }

    /**
     * Sets {@code ack-timeout}.
     *
     * @param exponent exponent of the time to wait for an acknowledgement, 4.096 us * 2^exponent.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder ackTimeout(int exponent) {
        return set(ChannelKey.ACK_TIMEOUT, Integer.toString(exponent));
    }

    /**
     * Sets {@code retry-count}.
     *
     * @param count number of transport retries before a connection fails.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder retryCount(int count) {
        return set(ChannelKey.RETRY_COUNT, Integer.toString(count));
    }

    /**
     * Sets {@code rnr-retry-count}.
     *
     * @param count number of retries while the peer has no receive posted.
     * @throws BusException if the value is out of range.
     */
    public ChannelUri.Builder rnrRetryCount(int count) {
        return set(ChannelKey.RNR_RETRY_COUNT, Integer.toString(count));
    }
}
