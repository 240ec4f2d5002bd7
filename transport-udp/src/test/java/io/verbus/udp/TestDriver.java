// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.transport.OutboundStream;
import io.verbus.transport.TestHost;
import io.verbus.transport.TestStream;
import io.verbus.transport.Transport;
import io.verbus.udp.common.UdpOptions;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Driver with the UDP transport, and a clock that the test advances. */
final class TestDriver extends TestHost {
    static final long MS = 1_000_000;

    private static final int MAX_COUNTERS = 512;

    /** Hosts of the names that end with .x; other names are unknown. */
    final Map<String, String> hosts = new HashMap<>();

    /** Names that were looked up again. */
    final List<String> lookUps = new ArrayList<>();

    final UdpTransport transport;
    long nowNs = 1;

    TestDriver(long driverId, Path directory, String... options) {
        super(driverId, directory, MAX_COUNTERS, options);
        transport = new UdpTransport(this, UdpOptions.of(this), nowNs);
    }

    @Override
    protected Transport transport() {
        return transport;
    }

    @Override
    public InetSocketAddress address(String name, int port) {
        if (!name.endsWith(".x")) {
            return super.address(name, port);
        }
        String host = hosts.get(name);
        return host == null
                ? InetSocketAddress.createUnresolved(name, port)
                : new InetSocketAddress(host, port);
    }

    @Override
    public CompletableFuture<Void> lookUp(String name) {
        lookUps.add(name);
        return super.lookUp(name);
    }

    /** Runs one cycle of all agents. */
    void turn() {
        transport.conduct(nowNs);
        transport.send(nowNs);
        transport.receive(nowNs);
        for (TestStream stream : streams) {
            stream.clean();
            if (stream.resumes > 0) {
                throw new AssertionError("the sender position decreased");
            }
        }
    }

    /** Advances the clock in steps of a millisecond. */
    void turn(long milliseconds) {
        for (long i = 0; i < milliseconds; i++) {
            nowNs += MS;
            turn();
        }
    }

    /** Returns the value of the counter with a label, or -1. */
    @Override
    public long counter(String label) {
        long own = value("udp: " + label);
        return own >= 0 ? own : value(label);
    }

    /** Adds the failure of a publication to the errors. */
    @Override
    public void onPublicationFailed(OutboundStream stream, boolean rejected, String message) {
        super.onPublicationFailed(stream, rejected, message);
        errors.add(message);
    }
}
