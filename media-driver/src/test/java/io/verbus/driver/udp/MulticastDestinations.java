// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.aeron.AeronPeer;
import io.verbus.driver.image.SourcedStream;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Merges replays into live streams of one multicast group, several at once and one after the other,
 * with Verbus' driver and with Aeron's. Run it where multicast leaves no interface; exits with 0 on
 * success.
 */
final class MulticastDestinations {
    private static final String GROUP = "aeron:udp?endpoint=239.7.7.7:40011|interface=127.0.0.1";
    private static final String REPLAY = "aeron:udp?endpoint=127.0.0.1:0";
    private static final int STREAM = SourcedStream.STREAM;

    private final Aeron aeron;

    private MulticastDestinations(Aeron aeron) {
        this.aeron = aeron;
    }

    public static void main(String[] args) throws Exception {
        int status = 1;
        try (AeronPeer aeron = new AeronPeer(Files.createTempDirectory("merges").resolve("aeron"));
                MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config());
                Aeron client = connect(driver.directory())) {
            new MulticastDestinations(aeron.client()).mergeAll();
            System.out.println("Aeron's driver: done");
            new MulticastDestinations(client).mergeAll();
            System.out.println("ours: done");
            List<String> errors = new ArrayList<>(Drivers.errors(driver));
            aeron.errors().forEach(error -> errors.add(error.toString()));
            errors.forEach(System.out::println);
            status = errors.isEmpty() ? 0 : 1;
        } catch (Throwable thrown) {
            thrown.printStackTrace(System.out);
        }
        System.exit(status);
    }

    private static Aeron connect(Path directory) {
        return Aeron.connect(new Aeron.Context().aeronDirectoryName(directory.toString()));
    }

    private void mergeAll() {
        try (Merge first = new Merge(1111);
                Merge second = new Merge(2222)) {
            first.begin();
            second.begin();
            first.finish();
            second.finish();
            try (Merge again = new Merge(first)) { // two images of one live stream
                again.begin();
                again.finish();
                try (Subscription plain = aeron.addSubscription(GROUP, STREAM)) {
                    Await.until("images of plain subscription", () -> plain.imageCount() == 2);
                }
            }
        }
        try (Merge after = new Merge(3333)) {
            after.begin();
            after.finish();
        }
    }

    /** One subscription that starts with a replay, and continues with the live stream. */
    private final class Merge implements AutoCloseable {
        private final SourcedStream stream;
        private final Subscription subscription;
        private final ExclusivePublication live;
        private final ExclusivePublication replay;
        private final String replayDestination;
        private final long begin;

        private Merge(int sessionId) {
            this(sessionId, null);
        }

        /**
         * Image of the live stream that another subscription has merged, and which has continued in
         * the meantime.
         */
        private Merge(Merge other) {
            this(other.live.sessionId(), other.live);
        }

        private Merge(int sessionId, ExclusivePublication running) {
            stream = new SourcedStream(aeron, sessionId);
            subscription =
                    aeron.addSubscription(
                            SourcedStream.MANUAL + "|session-id=" + sessionId, STREAM);
            subscription.addDestination(REPLAY);
            replayDestination =
                    "aeron:udp?endpoint=" + subscription.localSocketAddresses().getFirst();
            begin = running == null ? 0 : running.position();
            replay = stream.source(replayDestination, begin);
            live = running == null ? stream.source(GROUP, begin) : running;
        }

        private void begin() {
            Await.until("replay", replay::isConnected);
            subscription.addDestination(GROUP);
            Await.until("live stream", live::isConnected);
            Await.until("image", () -> subscription.imageCount() == 1);
        }

        private void finish() {
            Await.until(
                    "two active transports of session " + live.sessionId(),
                    () -> {
                        stream.read(subscription);
                        return subscription.imageAtIndex(0).activeTransportCount() == 2;
                    });
            stream.write(20, subscription, replay, live);
            stream.readAll(subscription);
            replay.close();
            subscription.removeDestination(REPLAY);
            stream.write(20, subscription, live);
            stream.readAll(subscription);
            assertEquals(1, subscription.imageCount());
            assertEquals(begin, subscription.imageAtIndex(0).joinPosition());
        }

        @Override
        public void close() {
            subscription.close();
            replay.close();
            live.close();
        }
    }
}
