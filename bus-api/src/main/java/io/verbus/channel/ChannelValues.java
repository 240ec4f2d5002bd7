// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.time.Duration;
import java.util.EnumMap;

/**
 * The values of a channel that is being built: a method for each key, which checks what it is given
 * by that key alone.
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
     * @param bytes of a term, a power of two from 64 KiB to 1 GiB.
     * @throws BusException if it is not.
     */
    public ChannelUri.Builder termLength(int bytes) {
        return set(ChannelKey.TERM_LENGTH, Integer.toString(bytes));
    }

    /**
     * @param bytes of the longest frame, a multiple of 32 from 64 to 65504.
     * @throws BusException if it is not.
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
     * @param name for people: printable ASCII without {@code |}.
     * @throws BusException if it is not.
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
     * @param control of a subscription: {@code static} or {@code cubic}.
     * @throws BusException if it is neither.
     */
    public ChannelUri.Builder congestionControl(String control) {
        return set(ChannelKey.CONGESTION_CONTROL, control);
    }

    /**
     * @param receiver of several that decides: {@code max}, {@code min}, {@code min,g:/SIZE},
     *     {@code tagged,g:TAG} or {@code tagged,g:TAG/SIZE}.
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
     * @param time for which a closed publication answers for what was lost, 60 s at most.
     * @throws BusException if it is longer.
     */
    public ChannelUri.Builder linger(Duration time) {
        return set(ChannelKey.LINGER, time.toNanos() + "ns");
    }

    /**
     * @param hops that datagrams may take, from 0 to 255.
     * @throws BusException if they are out of range.
     */
    public ChannelUri.Builder ttl(int hops) {
        return set(ChannelKey.TTL, Integer.toString(hops));
    }

    /**
     * @param address from which to connect: an IP address or host name of this host.
     * @throws BusException if it is neither.
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
     * @param trafficClass of the packets, from 0 to 255.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder trafficClass(int trafficClass) {
        return set(ChannelKey.TRAFFIC_CLASS, Integer.toString(trafficClass));
    }

    /**
     * @param dscp differentiated services code point of the packets, from 0 to 63.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder dscp(int dscp) {
        return set(ChannelKey.DSCP, Integer.toString(dscp));
    }

    /**
     * @param bytes that a packet must be able to carry: 256, 512, 1024, 2048 or 4096.
     * @throws BusException if it is none of these.
     */
    public ChannelUri.Builder pathMtu(int bytes) {
        return set(ChannelKey.PATH_MTU, Integer.toString(bytes));
    }

    /**
     * @param exponent of the time for an acknowledgement, 4.096 us * 2^exponent, from 1 to 31.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder ackTimeout(int exponent) {
        return set(ChannelKey.ACK_TIMEOUT, Integer.toString(exponent));
    }

    /**
     * @param count of transport retries before a connection fails, from 0 to 6.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder retryCount(int count) {
        return set(ChannelKey.RETRY_COUNT, Integer.toString(count));
    }

    /**
     * @param count of retries while the peer has no receive posted, from 0 to 6, or 7 for retries
     *     without end.
     * @throws BusException if it is out of range.
     */
    public ChannelUri.Builder rnrRetryCount(int count) {
        return set(ChannelKey.RNR_RETRY_COUNT, Integer.toString(count));
    }
}
