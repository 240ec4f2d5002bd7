// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.logbuffer.FragmentHandler;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A client process. It prints events to standard output, one line each, and runs until its standard
 * input ends (exit status 0), its driver is lost (3), or it is killed.
 */
final class Peer {
    static final int DRIVER_LOST = 3;

    /** Messages of every publisher; each fits a fragment. */
    static final Script SCRIPT = Script.of(77, 200);

    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int REPORT_EVERY = 200;

    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicBoolean lost = new AtomicBoolean();
    private final Bus bus;

    private Peer(String directory) {
        bus =
                Bus.connect(
                        new BusContext()
                                .directoryName(directory)
                                .driverTimeout(Host.PATIENCE)
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
        Map<Integer, Reader> readers = new HashMap<>();
        Subscription subscription =
                bus.addSubscription(
                        Host.received(channel),
                        streamId,
                        image -> say("image " + image.sessionId()),
                        image ->
                                say(
                                        "image gone "
                                                + image.sessionId()
                                                + (image.isEndOfStream()
                                                        ? " read to its end"
                                                        : "")));
        FragmentHandler handler =
                (buffer, offset, length, header) ->
                        readers.computeIfAbsent(
                                        header.sessionId(), session -> Reader.fromAny(SCRIPT))
                                .onFragment(buffer, offset, length, header);
        long read = 0;
        long reported = 0;
        while (goesOn()) {
            int messages = subscription.poll(handler, 64);
            read += messages;
            if (messages == 0) {
                LockSupport.parkNanos(PACE_NS);
            } else if (read - reported >= REPORT_EVERY) {
                reported = read;
                say("read " + read);
            }
        }
        subscription.close();
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
