// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.FragmentAssembler;
import io.verbus.Image;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.aeron.AeronPeer;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.logbuffer.FragmentHandler;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program: multicast groups of two Verbus drivers and one Aeron driver, to be run where multicast
 * leaves no interface. Exits with 0 if every receiver got every message.
 */
final class MulticastGroups {
    private static final int STREAM = 10;
    private static final int MESSAGES = 2000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private MulticastGroups() {}

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("groups");
        int status = 1;
        try (AeronPeer aeron = new AeronPeer(folder.resolve("aeron"));
                MediaDriver a = launch();
                MediaDriver b = launch();
                Bus busA = connect(a);
                Bus busB = connect(b)) {
            UdpExchange exchange = new UdpExchange(busB, aeron, STREAM);
            for (String flowControl : new String[] {"min", "max", "tagged,g:7", "min,g:/2"}) {
                String options = "|term-length=64k|fc=" + flowControl;
                try (ExclusivePublication publication =
                        busA.addExclusivePublication(ours(40_001, options), STREAM)) {
                    exchange.run(publication, ours(40_001, "|gtag=7"), theirs(40_001, "|gtag=7"));
                }
                System.out.println("ours, fc=" + flowControl + ": done");
                try (io.aeron.ExclusivePublication publication =
                        aeron.client().addExclusivePublication(theirs(40_003, options), STREAM)) {
                    exchange.run(publication, ours(40_003, "|gtag=7"), theirs(40_003, "|gtag=7"));
                }
                System.out.println("Aeron's, fc=" + flowControl + ": done");
            }
            leaveBehind(busA, busB, aeron);
            System.out.println("a slow receiver: done");
            List<String> errors = Drivers.errors(a);
            errors.addAll(Drivers.errors(b));
            aeron.errors().forEach(error -> errors.add(error.toString()));
            errors.forEach(System.out::println);
            status = errors.isEmpty() ? 0 : 1;
        } catch (Throwable thrown) {
            thrown.printStackTrace(System.out);
        }
        System.exit(status);
    }

    /** It may run in an emulator beside other load. */
    private static MediaDriver launch() {
        return MediaDriver.launch(
                Drivers.config()
                        .directory(DriverDirectory.uniquePath())
                        .clientLivenessTimeoutNs(PATIENCE.toNanos())
                        .build());
    }

    private static Bus connect(MediaDriver driver) {
        return Bus.connect(Drivers.context(driver).driverTimeout(PATIENCE));
    }

    private static String ours(int port, String options) {
        return "verbus:udp?endpoint=239.7.7.7:" + port + "|interface=127.0.0.1" + options;
    }

    private static String theirs(int port, String options) {
        return "aeron:udp?endpoint=239.7.7.7:" + port + "|interface=127.0.0.1" + options;
    }

    /**
     * A receiver that does not read is dropped with fc=max, and rejoins at the current position.
     */
    private static void leaveBehind(Bus busA, Bus busB, AeronPeer aeron) {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 4000);
        long[] seen = new long[1];
        FragmentAssembler handler =
                new FragmentAssembler(
                        (buffer, at, size, h) -> {
                            seen[0]++;
                            messages.onMessageWithGaps(buffer, at, size);
                        });
        try (Subscription subscription = busB.addSubscription(ours(40_005, ""), STREAM);
                io.aeron.Subscription fast =
                        aeron.client().addSubscription(theirs(40_005, ""), STREAM);
                ExclusivePublication publication =
                        busA.addExclusivePublication(
                                ours(40_005, "|term-length=64k|fc=max"), STREAM)) {
            Await.until("connected", () -> subscription.isConnected() && fast.isConnected());
            Await.done(
                    "sent without the slow one",
                    () -> {
                        fast.poll((buffer, at, size, h) -> {}, 10);
                        if (messages.sent() < MESSAGES
                                && publication.offer(messages.buffer(), 0, messages.length()) > 0) {
                            messages.onSent();
                        }
                        return messages.sent() == MESSAGES;
                    });
            // Until it has caught up, only a little is sent, or it would be dropped again.
            long[] lastOfferNs = {System.nanoTime()};
            Await.done(
                    "both up to date",
                    () -> {
                        fast.poll((buffer, at, size, h) -> {}, 10);
                        pollOldest(subscription, handler);
                        long nowNs = System.nanoTime();
                        boolean isDue =
                                messages.sent() - messages.received() < 8
                                        || nowNs - lastOfferNs[0] > PACE_NS;
                        if (isDue
                                && publication.offer(messages.buffer(), 0, messages.length()) > 0) {
                            messages.onSent();
                            lastOfferNs[0] = nowNs;
                        }
                        return messages.received() >= MESSAGES + 500;
                    });
        }
        if (seen[0] == messages.received()) {
            throw new AssertionError("the slow receiver was waited for");
        }
    }

    /** One image after the other, each starting after the end of the previous one. */
    private static void pollOldest(Subscription subscription, FragmentHandler handler) {
        List<Image> images = new ArrayList<>();
        subscription.forEachImage(images::add);
        if (!images.isEmpty()) {
            images.getFirst().poll(handler, 10);
        }
    }
}
