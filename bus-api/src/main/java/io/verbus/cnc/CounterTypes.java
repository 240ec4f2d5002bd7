// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * Type ids of the counters in a driver's CnC file: Aeron's, and Verbus' own from 10,000.
 *
 * <pre>
 *  key of a stream's counter           of a channel's          of a client's   of the driver's
 *    0  registration id  int64         0  length   int32       0  id  int64    0  number  int32
 *    8  session id       int32         4  channel, ASCII
 *   12  stream id        int32
 *   16  channel length   int32
 *   20  channel, ASCII
 * </pre>
 *
 * The registration id in the key of an image's counter is the image id, but for a subscriber's
 * position it is the subscription's registration id. The label of a stream's counter shows the
 * same: {@code name: registrationId sessionId streamId channel}.
 *
 * <p>In the key of a counter of a destination, or of a source that arrives at a destination, the
 * destination's host and port replace the channel. In the key of a {@link #CARRIER}, the
 * transport's media does. {@link ConnectionKey} is the key of a {@link #CONNECTION}. The key of a
 * {@link #DEVICE} is the port number, int32, the length of the device's name, int32, and the name,
 * ASCII. The label of a {@link #PUBLICATION_STATE} or {@link #SUBSCRIPTION_STATE} continues after
 * the channel with the transport's media and the reason why it is not connected, see {@link
 * RegistrationState}.
 */
public final class CounterTypes {
    /** Driver-wide counters that Aeron also has, see {@link SystemCounter}. */
    public static final int SYSTEM = 0;

    /** Position up to which a publication may be appended to. Written by the driver. */
    public static final int PUBLISHER_LIMIT = 1;

    /** Position up to which a publication's log has been sent. Written by the sender. */
    public static final int SENDER_POSITION = 2;

    /** Highest position of an image at which data has arrived. Written by the conductor. */
    public static final int RECEIVER_HIGH_WATER = 3;

    /** Position up to which a subscriber has consumed an image. Written by the subscriber. */
    public static final int SUBSCRIBER_POSITION = 4;

    /** Position up to which an image has arrived completely. Written by the conductor. */
    public static final int RECEIVER_POSITION = 5;

    /** State of a channel that a driver sends to: 1 while open. Written by the conductor. */
    public static final int SEND_CHANNEL_STATUS = 6;

    /** State of a channel that a driver receives on: 1 while open. Written by the conductor. */
    public static final int RECEIVE_CHANNEL_STATUS = 7;

    /** Position up to which receivers permit sending. Written by the sender. */
    public static final int SENDER_LIMIT = 9;

    /** Time of a client's last heartbeat, milliseconds since the epoch. */
    public static final int CLIENT_HEARTBEAT = 11;

    /** Position up to which a publication is appended to. Written by the conductor. */
    public static final int PUBLISHER_POSITION = 12;

    /** Number of times that receivers back-pressured a publication. Written by the sender. */
    public static final int SENDER_BACK_PRESSURE = 13;

    /**
     * A local address of a channel, 1 while bound. Written by the conductor. The key is the id of
     * the channel's status counter, int32, the length of the address, int32, and the address,
     * ASCII.
     */
    public static final int LOCAL_ADDRESS = 14;

    /** Number of receivers that min or tagged flow control waits for. Written by the sender. */
    public static final int FLOW_CONTROL_RECEIVERS = 17;

    /** Number of drivers to which the name resolver announces its names. */
    public static final int RESOLVER_NEIGHBORS = 15;

    /** Number of names learned from other drivers. */
    public static final int RESOLVER_CACHE_ENTRIES = 16;

    /** 1 while a configured bootstrap neighbor of the name resolver is known as a neighbor. */
    public static final int RESOLVER_BOOTSTRAP_NEIGHBOR = 21;

    /** Number of a publication's receivers that announced themselves. Written by the sender. */
    public static final int DESTINATIONS = 18;

    /** Number of NAKs received for a publication. Written by the sender. */
    public static final int SENDER_NAKS_RECEIVED = 19;

    /** Number of NAKs sent for an image. Written by the receiver. */
    public static final int RECEIVER_NAKS_SENT = 20;

    /**
     * Driver-wide counters that only Verbus has, and transport counters, see {@link SystemCounter}
     * and {@link TransportCounter}. The key is the number.
     */
    public static final int DRIVER = 10_000;

    /** Counters of one connection of a transport, see {@link ConnectionCounter}. */
    public static final int CONNECTION = 10_001;

    /**
     * Position up to which a publication's log was sent to a destination. Written by the sender.
     */
    public static final int DESTINATION_SENT = 10_002;

    /** Position up to which a destination has consumed a publication. Written by the sender. */
    public static final int DESTINATION_RELEASED = 10_003;

    /** 1 while a destination receives a publication, else 0. Written by the sender. */
    public static final int DESTINATION_CONNECTED = 10_004;

    /**
     * Number of times that a destination was dropped for lagging too far. Written by the sender.
     */
    public static final int DESTINATION_LEFT = 10_005;

    /**
     * 1 while a transport carries a stream whose channel does not name it. The label starts with
     * {@code carried by} and the transport's media. Written by the conductor.
     */
    public static final int CARRIER = 10_006;

    /**
     * State of an RDMA device's port, as numbered by the kernel: 4 once the port is active, 0 if
     * the device is gone. Written by the conductor.
     */
    public static final int DEVICE = 10_007;

    /**
     * Position up to which an image with several sources has merged one source's stream. Written by
     * the receiver.
     */
    public static final int SOURCE_POSITION = 10_008;

    /**
     * Number of bytes of an image that a source delivered before the image's other sources. Written
     * by the receiver.
     */
    public static final int SOURCE_DELIVERED = 10_009;

    /**
     * State of a client's publication, a {@link RegistrationState}. The reference is the
     * registration id of the stream, which several clients may share. Written by the conductor.
     */
    public static final int PUBLICATION_STATE = 10_020;

    /**
     * State of a client's subscription, a {@link RegistrationState}. The session id in the key is
     * that of the channel, or 0. Written by the conductor.
     */
    public static final int SUBSCRIPTION_STATE = 10_021;

    private CounterTypes() {}
}
