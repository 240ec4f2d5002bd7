// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestHost;
import io.verbus.transport.Transport;

import java.util.Random;
import java.util.function.BooleanSupplier;

/** Driver A, which publishes, driver B, which subscribes, and the network between them. */
public interface LifeNet {
    /** Source of everything random. */
    Random random();

    /** Channel of all streams. */
    ChannelUri channel();

    TestHost a();

    TestHost b();

    Transport transportOfA();

    Transport transportOfB();

    /** Endpoint of B for the channel. */
    InboundEndpoint endpoint();

    /** Sets whether B's subscribers read. */
    void reading(boolean isReading);

    /** Breaks or cuts a connection, if there is one, or does something else to the network. */
    void breakSomething();

    /** Replaces A's device by a new one. */
    void replaceDevice();

    /** Ends all faults. */
    void heal();

    /** Runs everything for a time, measured on the network's clock. */
    void forMillis(long millis);

    /** Runs everything until the condition holds; fails if it never does. */
    void until(String what, BooleanSupplier condition);

    /** Number of A's open connections. */
    int connectionsOfA();

    /** Number of B's open connections. */
    int connectionsOfB();

    /** Number of queue pairs that are not destroyed. */
    long queuePairs();
}
