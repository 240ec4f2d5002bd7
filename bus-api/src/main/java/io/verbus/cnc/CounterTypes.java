// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * Type ids of the counters in a driver's CnC file: Aeron's, and from 10,000 on Verbus' own.
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
 * The registration id of a counter of an image is the image's id, but of a subscriber's position it
 * is the subscription's. The label of a stream's counter says the same for people: {@code name:
 * registrationId sessionId streamId channel}.
 *
 * <p>The key of a destination's counter has host and port of the destination in the place of the
 * channel, that of a {@link #CARRIER} the transport's media. {@link ConnectionKey} is that of a
 * {@link #CONNECTION}. The key of a {@link #DEVICE} is the port's number, int32, the length of the
 * device's name, int32, and the name, ASCII.
 */
public final class CounterTypes {
    /** Counters of the driver as a whole that Aeron has, too: see {@link SystemCounter}. */
    public static final int SYSTEM = 0;

    /** Position up to which a publication may be appended to. Written by the driver. */
    public static final int PUBLISHER_LIMIT = 1;

    /** Position up to which a publication's log has been sent. Written by the sender. */
    public static final int SENDER_POSITION = 2;

    /** Position up to which anything of an image has arrived. Written by the conductor. */
    public static final int RECEIVER_HIGH_WATER = 3;

    /** Position up to which a subscriber has consumed an image. Written by the subscriber. */
    public static final int SUBSCRIBER_POSITION = 4;

    /** Position up to which all of an image has arrived. Written by the conductor. */
    public static final int RECEIVER_POSITION = 5;

    /** State of a channel that is sent to: 1 while it is open. Written by the conductor. */
    public static final int SEND_CHANNEL_STATUS = 6;

    /** State of a channel that is received at: 1 while it is open. Written by the conductor. */
    public static final int RECEIVE_CHANNEL_STATUS = 7;

    /** Position up to which receivers let a publication be sent. Written by the sender. */
    public static final int SENDER_LIMIT = 9;

    /** Time of a client's last sign of life, milliseconds since the epoch. */
    public static final int CLIENT_HEARTBEAT = 11;

    /** Position up to which a publication was appended to. Written by the conductor. */
    public static final int PUBLISHER_POSITION = 12;

    /** Times that a publication was held back by its receivers. Written by the sender. */
    public static final int SENDER_BACK_PRESSURE = 13;

    /**
     * A local address of a channel, 1 while it is bound. Written by the conductor. The key is the
     * counter id of the channel's status, int32, the length of the address, int32, and the address,
     * ASCII.
     */
    public static final int LOCAL_ADDRESS = 14;

    /** How many receivers flow control waits for, if not the furthest. Written by the sender. */
    public static final int FLOW_CONTROL_RECEIVERS = 17;

    /** Drivers that this one tells of the names it knows. */
    public static final int RESOLVER_NEIGHBORS = 15;

    /** Names that other drivers have told. */
    public static final int RESOLVER_CACHE_ENTRIES = 16;

    /** 1 while a bootstrap neighbor of the name resolver is known as a neighbor. */
    public static final int RESOLVER_BOOTSTRAP_NEIGHBOR = 21;

    /** How many receivers a publication has that came by themselves. Written by the sender. */
    public static final int DESTINATIONS = 18;

    /** NAKs that have come for a publication. Written by the sender. */
    public static final int SENDER_NAKS_RECEIVED = 19;

    /** NAKs that were sent for an image. Written by the receiver. */
    public static final int RECEIVER_NAKS_SENT = 20;

    /**
     * Counters of the driver as a whole that are Verbus' own, and those of transports: see {@link
     * SystemCounter} and {@link TransportCounter}. The key is the number.
     */
    public static final int DRIVER = 10_000;

    /** Counters of one connection of a transport: see {@link ConnectionCounter}. */
    public static final int CONNECTION = 10_001;

    /** Position up to which a destination was sent a publication's log. Written by the sender. */
    public static final int DESTINATION_SENT = 10_002;

    /** Position up to which a destination has consumed a publication. Written by the sender. */
    public static final int DESTINATION_RELEASED = 10_003;

    /** 1 while a destination receives a publication, else 0. Written by the sender. */
    public static final int DESTINATION_CONNECTED = 10_004;

    /** Times that a destination was left because it was too far behind. Written by the sender. */
    public static final int DESTINATION_LEFT = 10_005;

    /**
     * 1 while a transport carries a stream whose channel does not say so. The name in the label is
     * {@code carried by} and the transport's media. Written by the conductor.
     */
    public static final int CARRIER = 10_006;

    /**
     * State of a port of an RDMA device of the host, as the kernel numbers it: 4 once traffic can
     * pass, 0 where the device is gone. Written by the conductor.
     */
    public static final int DEVICE = 10_007;

    private CounterTypes() {}
}
