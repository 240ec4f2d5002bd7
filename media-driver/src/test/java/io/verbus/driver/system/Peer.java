// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A client process. It says on standard output what happens to it, one line each, and lives until
 * its standard input ends (exit status 0), its driver is lost (3), or it is killed.
 */
final class Peer {
    static final int DRIVER_LOST = 3;

    /** Length of each message. */
    static final Script SCRIPT = Script.of(77, 200);

    private static final long PACE_NS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final int REPORT_EVERY = 500;

    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicBoolean lost = new AtomicBoolean();
    private final Bus bus;

    private Peer(String directory) {
        bus =
                Bus.connect(
                        new Bus.Context()
                                .directoryName(directory)
                                .driverTimeout(Duration.ofSeconds(5))
                                .errorHandler(error -> say("error " + error.getMessage()))
                                .driverLostHandler(
                                        (lostBus, reason) -> {
                                            say("driver lost: " + reason.getMessage());
                                            lost.set(true);
                                        }));
    }

    /**
     * @param args what to do (publish or subscribe), driver directory, channel, stream id.
     */
    public static void main(String[] args) {
        Peer peer = new Peer(args[1]);
        Thread.ofPlatform().daemon().start(peer::awaitEndOfInput);
        int streamId = Integer.parseInt(args[3]);
        switch (args[0]) {
            case "publish" -> peer.publish(args[2], streamId);
            case "subscribe" -> peer.subscribe(args[2], streamId);
            default -> throw new IllegalArgumentException(args[0]);
        }
        peer.bus.close();
        System.exit(peer.lost.get() ? DRIVER_LOST : 0);
    }

    private void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                continue;
            }
        } catch (IOException e) {
            say("error " + e);
        }
        stopped.set(true);
    }

    private boolean goesOn() {
        return !stopped.get() && !lost.get();
    }

    private void publish(String channel, int streamId) {
        Publication publication = bus.addPublication(channel, streamId);
        boolean connected = false;
        long number = 0;
        while (goesOn()) {
            if (publication.isConnected() != connected) {
                connected = !connected;
                say(connected ? "connected" : "not connected");
            }
            long result =
                    publication.offer(
                            SCRIPT.text(), SCRIPT.offset(number), SCRIPT.length(number), number);
            if (result > 0) {
                number++;
                if (number % REPORT_EVERY == 0) {
                    say("written " + number);
                }
            }
            LockSupport.parkNanos(PACE_NS);
        }
        publication.close();
    }

    private void subscribe(String channel, int streamId) {
        Reader[] reader = new Reader[1];
        Subscription subscription =
                bus.addSubscription(
                        channel,
                        streamId,
                        image -> {
                            reader[0] = Reader.fromAny(SCRIPT);
                            say("image " + image.sessionId());
                        },
                        image ->
                                say(
                                        "image gone "
                                                + image.sessionId()
                                                + (image.isEndOfStream()
                                                        ? " read to its end"
                                                        : "")));
        long reported = 0;
        Reader read = null;
        while (goesOn()) {
            if (read != reader[0]) {
                read = reader[0];
                reported = 0;
            }
            int fragments = read == null ? 0 : subscription.poll(read.fragments(), 64);
            if (fragments == 0) {
                LockSupport.parkNanos(PACE_NS);
            } else if (read.count() - reported >= REPORT_EVERY) {
                reported = read.count();
                say("read " + reported);
            }
        }
        subscription.close();
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
