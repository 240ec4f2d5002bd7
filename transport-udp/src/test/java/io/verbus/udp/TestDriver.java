// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.transport.OutboundStream;
import io.verbus.transport.TestHost;
import io.verbus.transport.TestStream;
import io.verbus.transport.Transport;
import io.verbus.udp.common.UdpOptions;

import java.nio.file.Path;

/** A driver with the UDP transport, and a clock that the test moves. */
final class TestDriver extends TestHost {
    static final long MS = 1_000_000;

    private static final int MAX_COUNTERS = 512;

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

    /** One cycle of all agents. */
    void turn() {
        transport.conduct(nowNs);
        transport.send(nowNs);
        transport.receive(nowNs);
        for (TestStream stream : streams) {
            stream.clean();
            if (stream.resumes > 0) {
                throw new AssertionError("the sender goes back");
            }
        }
    }

    /** A while of the test's time, in steps of a millisecond. */
    void turn(long milliseconds) {
        for (long i = 0; i < milliseconds; i++) {
            nowNs += MS;
            turn();
        }
    }

    /** Value of the transport's or the driver's counter with a label, or -1. */
    @Override
    public long counter(String label) {
        long own = value("udp: " + label);
        return own >= 0 ? own : value(label);
    }

    /** A failed publication is one of the errors. */
    @Override
    public void onPublicationFailed(OutboundStream stream, boolean rejected, String message) {
        super.onPublicationFailed(stream, rejected, message);
        errors.add(message);
    }
}
