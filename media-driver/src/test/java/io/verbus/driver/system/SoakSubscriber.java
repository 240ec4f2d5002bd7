// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.FragmentAssembler;
import io.verbus.Image;
import io.verbus.Subscription;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A subscriber process of the soak: verifies every message of its streams and keeps a {@link
 * SoakLedger}. Lives until its standard input ends (exit status 0), its driver is lost (3), a
 * message is wrong (1), or it is killed.
 */
final class SoakSubscriber {
    static final int DRIVER_LOST = 3;

    private static final int WRONG = 1;
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(500);

    private static volatile boolean stopped;
    private static volatile boolean lost;

    private SoakSubscriber() {}

    /** One stream of the process. */
    private static final class Stream {
        private final int index;
        private final SoakLedger ledger;
        private final Reader reader;
        private final FragmentAssembler assembler;
        private Subscription subscription;

        private Stream(int id, int index, SoakLedger ledger) {
            this.index = index;
            this.ledger = ledger;
            reader = Reader.fromAny(SoakStreams.script(id));
            assembler =
                    new FragmentAssembler(
                            (buffer, offset, length, header) -> {
                                reader.onFragment(buffer, offset, length, header);
                                ledger.read(index, reader.next(), header.position());
                            });
        }

        private Stream subscribe(Bus bus, String channel, int id) {
            subscription =
                    bus.addSubscription(
                            Host.received(channel),
                            id,
                            this::onImage,
                            image -> say("image gone of stream " + id));
            return this;
        }

        private void onImage(Image image) {
            ledger.joined(index, image.joinPosition());
        }

        private int poll() {
            return subscription.poll(assembler, 64);
        }
    }

    /**
     * @param args driver directory, channel, file of the ledger, stream ids.
     */
    public static void main(String[] args) {
        Thread.ofPlatform().daemon().start(SoakSubscriber::awaitEndOfInput);
        int status = WRONG;
        try {
            status = run(args);
        } catch (Throwable wrong) {
            say("wrong: " + wrong);
        }
        System.exit(status);
    }

    private static int run(String[] args) {
        SoakLedger ledger = SoakLedger.open(Path.of(args[2]));
        Bus bus =
                Bus.connect(
                        new BusContext()
                                .directoryName(args[0])
                                .driverTimeout(Host.PATIENCE)
                                .errorHandler(error -> say("error " + error.getMessage()))
                                .driverLostHandler(
                                        (lostBus, reason) -> {
                                            say("driver lost: " + reason.getMessage());
                                            lost = true;
                                        }));
        List<Stream> streams = new ArrayList<>();
        for (int i = 3; i < args.length; i++) {
            int id = Integer.parseInt(args[i]);
            streams.add(new Stream(id, i - 3, ledger).subscribe(bus, args[1], id));
        }
        say("subscribed");
        while (!stopped && !lost) {
            int work = 0;
            for (Stream stream : streams) {
                work += stream.poll();
            }
            if (work == 0) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        bus.close();
        return lost ? DRIVER_LOST : 0;
    }

    private static void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                continue;
            }
        } catch (IOException e) {
            say("error " + e);
        }
        stopped = true;
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
