// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Image;
import io.verbus.Subscription;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;
import io.verbus.logbuffer.FrameHeader;

import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Two receivers of a publication under fc=max: one polls, and the other one falls behind. */
@Timeout(120)
class SlowReceiverTest {
    private static final int STREAM = 7;
    private static final int LENGTH = 992;
    private static final int EARLIER = 10;
    private static final String GIVE_UP = "udp.give-up-slow-receivers";

    /** More than the receiver's window, but less than the log keeps. */
    private static final int BURST = 64;

    /** Enough that half a term behind the sender is insufficient. */
    private static final int LONG_BURST = 96;

    private final List<AutoCloseable> open = new ArrayList<>();
    private Bus sender;
    private String control;
    private MediaDriver slowDriver;
    private Bus slowBus;
    private ExclusivePublication publication;
    private Subscription slow;
    private Subscription fast;
    private int slowCount;
    private int fastCount;

    @AfterEach
    void close() {
        for (int i = open.size() - 1; i >= 0; i--) {
            CloseHelper.close(open.get(i));
        }
    }

    private MediaDriver driver(String option, String value) {
        MediaDriver driver =
                MediaDriver.launchEmbedded(Drivers.config().transportOption(option, value));
        open.add(driver);
        return driver;
    }

    private Bus connect(MediaDriver driver) {
        Bus bus = Drivers.connect(driver);
        open.add(bus);
        return bus;
    }

    private void start(String senderGivesUp) throws IOException {
        start(senderGivesUp, driver("udp.image-timeout", "1s"));
    }

    private void start(String senderGivesUp, MediaDriver receiver) throws IOException {
        control = "aeron:udp?control=127.0.0.1:" + UdpInteropTest.freePort();
        sender = connect(driver(GIVE_UP, senderGivesUp));
        publication =
                sender.addExclusivePublication(
                        control + "|control-mode=dynamic|fc=max|term-length=64k", STREAM);
        slowDriver = receiver;
        slowBus = connect(slowDriver);
        slow = slowBus.addSubscription(control, STREAM);
        fast = connect(driver("udp.image-timeout", "1s")).addSubscription(control, STREAM);
        Await.until("both receivers", () -> slow.isConnected() && fast.isConnected());
        send(EARLIER);
        Await.until("the earlier messages", () -> pollSlow() == EARLIER);
    }

    private int pollSlow() {
        slow.poll((buffer, offset, length, header) -> slowCount++, 10);
        return slowCount;
    }

    /** Sends messages that the fast receiver consumes. */
    private void send(int messages) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
        int[] sent = {0};
        int until = fastCount + messages;
        Await.until(
                "the fast receiver",
                () -> {
                    if (sent[0] < messages && publication.offer(message, 0, LENGTH) > 0) {
                        sent[0]++;
                    }
                    fast.poll((buffer, offset, length, header) -> fastCount++, 10);
                    return fastCount == until;
                });
    }

    /** Sends more than the slow receiver accepts, and waits until it has dropped the rest. */
    private void sendTooMuch() {
        send(LONG_BURST);
        long bytes = (EARLIER + LONG_BURST) * (LENGTH + FrameHeader.LENGTH);
        Await.until(
                "the slow receiver",
                () -> Drivers.counter(slowBus, SystemCounter.BYTES_RECEIVED) >= bytes);
    }

    @Test
    void recoversDroppedMessagesFromLog() throws IOException {
        start("false");
        send(BURST);
        Await.until("all messages", () -> pollSlow() == EARLIER + BURST);
        assertTrue(slow.isConnected());
        assertEquals(List.of(), Drivers.errors(slowDriver));
    }

    @Test
    void losesStreamIfSenderResendsOnlyHalfTerm() throws IOException {
        start("true");
        sendTooMuch();
        Await.until(
                "the image's end",
                () -> {
                    pollSlow();
                    return !slow.isConnected();
                });
        assertTrue(slowCount < EARLIER + LONG_BURST, "the sender has resent all");
        assertEquals(1, Drivers.counter(slowBus, SystemCounter.IMAGES_LOST));
    }

    @Test
    void losesStreamIfReceiverIgnoresHeartbeatsBeyondWindow() throws IOException {
        MediaDriver receiver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .transportOption("udp.image-timeout", "1s")
                                .transportOption(GIVE_UP, "true"));
        open.add(receiver);
        start("false", receiver);
        sendTooMuch();
        Await.until(
                "the image's end",
                () -> {
                    pollSlow();
                    return !slow.isConnected();
                });
        assertTrue(slowCount < EARLIER + LONG_BURST, "the receiver has asked for all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void endsImageOfRevokedStreamBeyondWindow(String receiverGivesUp) throws IOException {
        start("false", driver(GIVE_UP, receiverGivesUp));
        Image image = slow.imageAtIndex(0);
        sendTooMuch();
        publication.revoke();
        Await.until("the image's end", image::isClosed);
        assertTrue(image.isPublicationRevoked());
        assertEquals(0, Drivers.counter(slowBus, SystemCounter.IMAGES_LOST));
    }

    @Test
    void limitsPublisherToHalfTermAheadOfSpy() throws IOException {
        start("false");
        Subscription spy = sender.addSubscription("aeron-spy:" + control, STREAM);
        Await.until("the spy", spy::isConnected);
        long joined = publication.position();
        UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
        long limit = joined + 32 * 1024;
        Await.until(
                "as much as the spy allows",
                () -> {
                    publication.offer(message, 0, LENGTH);
                    fast.poll((buffer, offset, length, header) -> fastCount++, 10);
                    return publication.position() >= limit;
                });
        for (int i = 0; i < 1000; i++) {
            assertTrue(publication.offer(message, 0, LENGTH) < 0, "past the spy's window");
            fast.poll((buffer, offset, length, header) -> fastCount++, 10);
        }
        Await.until(
                "the publisher again",
                () -> {
                    spy.poll((buffer, offset, length, header) -> {}, 10);
                    return publication.offer(message, 0, LENGTH) > 0;
                });
    }
}
