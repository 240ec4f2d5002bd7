// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * Type ids of the counters in a driver's CnC file.
 *
 * <p>The key of a counter that belongs to a stream begins with registration id (int64), session id
 * (int32), stream id (int32); its label says the same for people.
 */
public final class CounterTypes {
    /** Counters of the driver as a whole. */
    public static final int SYSTEM = 0;

    /** Position up to which a publication may be appended to. Written by the driver. */
    public static final int PUBLISHER_LIMIT = 1;

    /** Position up to which a publication's log has been sent. Written by the sender. */
    public static final int SENDER_POSITION = 2;

    /** Position up to which a subscriber has consumed an image. Written by the subscriber. */
    public static final int SUBSCRIBER_POSITION = 3;

    /** Position that the receiver has last granted credit from. Written by the receiver. */
    public static final int RECEIVER_POSITION = 4;

    /** Time of a client's last sign of life, milliseconds since the epoch. */
    public static final int CLIENT_HEARTBEAT = 5;

    /** Counters of one connection of a transport. */
    public static final int CONNECTION = 6;

    /** Times that a publication was held back by a receiver's credit. Written by the sender. */
    public static final int CREDIT_STALLS = 7;

    /** Position up to which a destination was sent a publication's log. Written by the sender. */
    public static final int DESTINATION_SENT = 20;

    /** Position up to which a destination has consumed a publication. Written by the sender. */
    public static final int DESTINATION_RELEASED = 21;

    /** 1 while a destination receives a publication, else 0. Written by the sender. */
    public static final int DESTINATION_CONNECTED = 22;

    /** Times that a destination was left because it was too far behind. Written by the sender. */
    public static final int DESTINATION_LEFT = 23;

    /** How many receivers a publication has that came by themselves. Written by the sender. */
    public static final int DESTINATIONS = 24;

    private CounterTypes() {}
}
