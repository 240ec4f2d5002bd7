// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.time.Duration;
import java.util.EnumMap;
import java.util.OptionalLong;

/**
 * The values of a channel that is being built: a method for each key, which checks its value by
 * that key alone. {@link ChannelKey} has the range of each.
 */
abstract sealed class ChannelValues permits ChannelUri.Builder {
    final EnumMap<ChannelKey, Object> values = new EnumMap<>(ChannelKey.class);
    boolean isSpy;

    final ChannelUri.Builder set(ChannelKey key, String value) {
        values.put(key, key.parse(value));
        return self();
    }

    private ChannelUri.Builder self() {
        return (ChannelUri.Builder) this; // nothing else is permitted
    }

    /**
     * @param bytes of a term.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder termLength(int bytes) {
        return set(ChannelKey.TERM_LENGTH, Integer.toString(bytes));
    }

    /**
     * @param bytes of the longest frame.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder mtu(int bytes) {
        return set(ChannelKey.MTU, Integer.toString(bytes));
    }

    /**
     * @param sessionId of the publication.
     */
    public ChannelUri.Builder sessionId(int sessionId) {
        return set(ChannelKey.SESSION_ID, Integer.toString(sessionId));
    }

    /**
     * @param place tag of the place that is sent to or received at, any but -1.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder placeTag(long place) {
        return tags(OptionalLong.of(place), tags().publication());
    }

    /**
     * @param publication tag of the publication, any but -1.
     * @throws BusException if it is out of range.
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
     * @param offset in a message at which the sending driver writes the time, or {@link
     *     ChannelUri#RESERVED_TIMESTAMP}.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder sendTimestamp(int offset) {
        return set(ChannelKey.SEND_TIMESTAMP, ValueForm.TIMESTAMP.writer().apply(offset));
    }

    /**
     * @param offset in a message at which the receiving driver writes the time, or {@link
     *     ChannelUri#RESERVED_TIMESTAMP}.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder receiveTimestamp(int offset) {
        return set(ChannelKey.RECEIVE_TIMESTAMP, ValueForm.TIMESTAMP.writer().apply(offset));
    }

    /**
     * @param id of the subscription that takes the responses to a publication's requests; or of the
     *     image whose requests a publication responds to, or {@link ResponseLink#PROTOTYPE}.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder responseCorrelationId(long id) {
        return set(
                ChannelKey.RESPONSE_ID,
                id == ResponseLink.PROTOTYPE ? ResponseLink.PROTOTYPE_TEXT : Long.toString(id));
    }

    /**
     * @param tag of the publication whose session this one is to have.
     */
    public ChannelUri.Builder sessionTag(long tag) {
        return set(ChannelKey.SESSION_ID, new ValueForm.SessionTag(tag).toString());
    }

    /**
     * @param start of the publication, if not with its first term.
     */
    public ChannelUri.Builder start(StreamStart start) {
        set(ChannelKey.INITIAL_TERM_ID, Integer.toString(start.initialTermId()));
        set(ChannelKey.TERM_ID, Integer.toString(start.termId()));
        return set(ChannelKey.TERM_OFFSET, Integer.toString(start.termOffset()));
    }

    /**
     * @param tells whether receivers are told of the end of the stream.
     */
    public ChannelUri.Builder tellsEnd(boolean tells) {
        return set(ChannelKey.END_OF_STREAM, Boolean.toString(tells));
    }

    /**
     * @param name for people.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder alias(String name) {
        return set(ChannelKey.ALIAS, name);
    }

    /**
     * @param bytes that a publisher may be ahead of the subscribers.
     * @throws BusException if they are out of range.
     */
    public ChannelUri.Builder window(int bytes) {
        return set(ChannelKey.WINDOW, Integer.toString(bytes));
    }

    /**
     * @param reliable whether a subscription asks again for what was lost.
     */
    public ChannelUri.Builder reliable(boolean reliable) {
        return set(ChannelKey.RELIABLE, Boolean.toString(reliable));
    }

    /**
     * @param control congestion control of a subscription.
     * @throws BusException if it is none.
     */
    public ChannelUri.Builder congestionControl(String control) {
        return set(ChannelKey.CONGESTION_CONTROL, control);
    }

    /**
     * @param bytes that a publisher may be ahead of the sender, or through shared memory of the
     *     subscribers.
     * @throws BusException if they are out of range.
     */
    public ChannelUri.Builder publicationWindow(int bytes) {
        return set(ChannelKey.PUBLICATION_WINDOW, Integer.toString(bytes));
    }

    /**
     * @param bytes of the socket's send buffer.
     * @throws BusException if they are out of range.
     */
    public ChannelUri.Builder sendBuffer(int bytes) {
        return set(ChannelKey.SEND_BUFFER, Integer.toString(bytes));
    }

    /**
     * @param bytes of the socket's receive buffer.
     * @throws BusException if they are out of range.
     */
    public ChannelUri.Builder receiveBuffer(int bytes) {
        return set(ChannelKey.RECEIVE_BUFFER, Integer.toString(bytes));
    }

    /**
     * @param time for which a gap may be reordering, for a subscription.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder nakDelay(Duration time) {
        return set(ChannelKey.NAK_DELAY, time.toNanos() + "ns");
    }

    /**
     * @param ranges that a publication may send again at a time.
     * @throws BusException if they are out of range.
     */
    public ChannelUri.Builder maxResend(int ranges) {
        return set(ChannelKey.MAX_RESEND, Integer.toString(ranges));
    }

    /**
     * @param group whether a subscription takes its stream for one that others receive too.
     */
    public ChannelUri.Builder group(boolean group) {
        return set(ChannelKey.GROUP, Boolean.toString(group));
    }

    /**
     * @param tether whether the subscriber holds its stream back; otherwise the driver lets it go
     *     where it is too far behind.
     */
    public ChannelUri.Builder tether(boolean tether) {
        return set(ChannelKey.TETHER, Boolean.toString(tether));
    }

    /**
     * @param rejoin whether a subscriber that was let go joins again, and a stream that was lost or
     *     rejected is received again.
     */
    public ChannelUri.Builder rejoin(boolean rejoin) {
        return set(ChannelKey.REJOIN, Boolean.toString(rejoin));
    }

    /**
     * @param time too far behind, after which a subscriber that does not hold its stream back is
     *     let go.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder untetheredWindowLimit(Duration time) {
        return set(ChannelKey.UNTETHERED_WINDOW_LIMIT, time.toNanos() + "ns");
    }

    /**
     * @param time for which a subscriber that was let go still holds its stream back.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder untetheredLinger(Duration time) {
        return set(ChannelKey.UNTETHERED_LINGER, time.toNanos() + "ns");
    }

    /**
     * @param time after that, until the subscriber joins again.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder untetheredResting(Duration time) {
        return set(ChannelKey.UNTETHERED_RESTING, time.toNanos() + "ns");
    }

    /**
     * @param streamId of the only stream that may be added on the channel.
     */
    public ChannelUri.Builder streamId(int streamId) {
        return set(ChannelKey.STREAM_ID, Integer.toString(streamId));
    }

    /**
     * @param receiver of several that decides, such as {@code max}, {@code min}, {@code min,g:/3}
     *     or {@code tagged,g:7/3,t:2s}.
     * @throws BusException if it is none of these.
     */
    public ChannelUri.Builder flowControl(String receiver) {
        return set(ChannelKey.FLOW_CONTROL, receiver);
    }

    /**
     * @param tag that a subscription gives to its receiver.
     */
    public ChannelUri.Builder groupTag(long tag) {
        return set(ChannelKey.GROUP_TAG, Long.toString(tag));
    }

    /**
     * @param control where a publication's receivers announce themselves, for a subscription.
     * @throws BusException if it is no address.
     */
    public ChannelUri.Builder control(String control) {
        return set(ChannelKey.CONTROL, control);
    }

    /**
     * @param connect whether a publication that only spies read is connected and goes on.
     */
    public ChannelUri.Builder spiesConnect(boolean connect) {
        return set(ChannelKey.SPIES_CONNECT, Boolean.toString(connect));
    }

    /** Makes it the channel of a subscription that reads the publication in the same driver. */
    public ChannelUri.Builder spy() {
        isSpy = true;
        return self();
    }

    /**
     * @param time for which a closed publication still answers for what was lost.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder linger(Duration time) {
        return set(ChannelKey.LINGER, time.toNanos() + "ns");
    }

    /**
     * @param hops that datagrams may take.
     * @throws BusException if they are out of range.
     */
    public ChannelUri.Builder ttl(int hops) {
        return set(ChannelKey.TTL, Integer.toString(hops));
    }

    /**
     * @param address from which to send: an IP address or host name of this host, a subnet such as
     *     {@code 10.1.0.0/16}, or <code>{eth0}</code>.
     * @throws BusException if it is none.
     */
    public ChannelUri.Builder interfaceAddress(String address) {
        return set(ChannelKey.INTERFACE, address);
    }

    /**
     * @param name of the RDMA device that must carry the channel.
     * @throws BusException if it can be none.
     */
    public ChannelUri.Builder device(String name) {
        return set(ChannelKey.DEVICE, name);
    }

    /**
     * @param trafficClass of the packets.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder trafficClass(int trafficClass) {
        return set(ChannelKey.TRAFFIC_CLASS, Integer.toString(trafficClass));
    }

    /**
     * @param dscp differentiated services code point of the packets.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder dscp(int dscp) {
        return set(ChannelKey.DSCP, Integer.toString(dscp));
    }

    /**
     * @param bytes that a packet must be able to carry.
     * @throws BusException if it is none of these.
     */
    public ChannelUri.Builder pathMtu(int bytes) {
        return set(ChannelKey.PATH_MTU, Integer.toString(bytes));
    }

    /**
     * @param exponent of the time for an acknowledgement, 4.096 us * 2^exponent.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder ackTimeout(int exponent) {
        return set(ChannelKey.ACK_TIMEOUT, Integer.toString(exponent));
    }

    /**
     * @param count of transport retries before a connection fails.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder retryCount(int count) {
        return set(ChannelKey.RETRY_COUNT, Integer.toString(count));
    }

    /**
     * @param count of retries while the peer has no receive posted.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder rnrRetryCount(int count) {
        return set(ChannelKey.RNR_RETRY_COUNT, Integer.toString(count));
    }
}
