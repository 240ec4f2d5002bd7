// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.StrictDevice;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.config.ThreadingMode;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * An active stream from A to B, and clients that are answered and exchange IPC, beside calls that a
 * device blocks.
 */
final class Beside implements AutoCloseable {
    private static final int IPC_STREAM = 900;

    private final Host[] hosts;
    private final Bus[] buses;
    private final Subscription in;
    private final Writer writer;
    private final Reader reader;
    private long exchanged;

    /** Starts a driver that waits longer for its peers than a call is blocked. */
    static Host host(String address, ThreadingMode threading) {
        return Host.start(
                        address,
                        builder ->
                                builder.threading(threading)
                                        .transportOption("rdma.linger", "1ms")
                                        .transportOption("rdma.resume-timeout", "200s")
                                        .transportOption("rdma.connect-timeout", "200s")
                                        .transportOption("rdma.probe-timeout", "100s"))
                .expectLoss();
    }

    /** Waits until a call is blocked. */
    static void awaitHeld(String call) {
        Await.until(call + " to be held", () -> StrictDevice.count("held") > 0);
    }

    /** Waits for the answer to an asynchronous add. */
    static Subscription await(Bus bus, long registrationId) {
        Subscription[] found = new Subscription[1];
        Await.until(
                "a subscription",
                () -> {
                    found[0] = bus.async().getSubscription(registrationId);
                    return found[0] != null;
                });
        return found[0];
    }

    /** Starts the stream to a port of B. */
    Beside(Host a, Host b, int port, Script script) {
        hosts = new Host[] {a, b};
        buses = new Bus[] {a.connect(), b.connect()};
        in = buses[1].addSubscription(b.channel(port), 1);
        Publication out =
                buses[0].addPublication(Host.overWire(b.channel(port, "term-length=64k")), 1);
        writer = new Writer(out, script);
        reader = Reader.fromFirst(script);
        goOn();
    }

    /** The stream continues, and each host answers a client, carries IPC, and stays alive. */
    void goOn() {
        exchanged += 50;
        reader.exchange(writer, in, exchanged);
        for (int i = 0; i < hosts.length; i++) {
            requireAlive(hosts[i], buses[i]);
        }
    }

    /** The host answers a client, carries IPC, and stays alive. */
    static void requireAlive(Host host, Bus bus) {
        long heartbeat = host.counters().heartbeat();
        roundTrip(bus);
        Await.until("a heartbeat", () -> host.counters().heartbeat() > heartbeat);
    }

    private static void roundTrip(Bus bus) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
        try (Subscription from = bus.addSubscription("aeron:ipc", IPC_STREAM);
                Publication to = bus.addPublication("aeron:ipc?term-length=64k", IPC_STREAM)) {
            for (int i = 0; i < 10; i++) {
                Await.until("an offer taken", () -> to.offer(message) > 0);
                Await.until("an answer", () -> from.poll((b, o, l, h) -> {}, 1) == 1);
            }
        }
    }

    @Override
    public void close() {
        for (Bus bus : buses) {
            bus.close();
        }
    }
}
