// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.common.Announcement;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;

import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;

/** An unknown peer that requests a connection and is rejected. */
final class Stranger implements FabricHandler {
    private final SimFabric fabric;
    private byte[] refusal;

    /** Runs the drivers until a condition holds. */
    interface Turns {
        void until(String what, BooleanSupplier condition);
    }

    Stranger(SimFabric fabric) {
        this.fabric = fabric;
    }

    /** Connects with the given private data; returns the answer. */
    byte[] ask(InetSocketAddress address, byte[] words, Turns turns) {
        refusal = null;
        fabric.connect(address, null, ConnectionOptions.DEFAULT, null, words);
        turns.until("refused", () -> fabric.poll(this, 0) > 0 && refusal != null);
        return refusal;
    }

    /** Announces itself. */
    Announcement.Answer ask(InetSocketAddress address, Announcement announcement, Turns turns) {
        return Announcement.Answer.read(ask(address, announcement.bytes(), turns));
    }

    @Override
    public void onConnectRequest(
            Listener listener, Connection connection, InetSocketAddress from, byte[] data) {
        throw new AssertionError("nothing listens here");
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
        throw new AssertionError("a stranger is let in");
    }

    @Override
    public void onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
        refusal = privateData;
        connection.close();
    }
}
