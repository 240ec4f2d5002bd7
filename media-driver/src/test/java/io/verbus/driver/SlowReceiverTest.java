// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Subscription;
import io.verbus.cnc.SystemCounter;

import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Two receivers of a publication under fc=max: one polls, and the other one falls behind. */
@Timeout(120)
class SlowReceiverTest {
    private static final int STREAM = 7;
    private static final int LENGTH = 992;
    private static final int EARLIER = 10;

    /** More than the receiver's window, but less than the log keeps. */
    private static final int BURST = 64;

    /** Enough that half a term behind the sender is insufficient. */
    private static final int LONG_BURST = 96;

    private final List<AutoCloseable> open = new ArrayList<>();
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

    private void start(String resendsHalfTerm) throws IOException {
        String control = "aeron:udp?control=127.0.0.1:" + UdpInteropTest.freePort();
        Bus sender = connect(driver("udp.resend-half-term", resendsHalfTerm));
        publication =
                sender.addExclusivePublication(
                        control + "|control-mode=dynamic|fc=max|term-length=64k", STREAM);
        slowDriver = driver("udp.image-timeout", "1s");
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

    @Test
    void receivesDroppedMessagesFromLog() throws IOException {
        start("false");
        send(BURST);
        Await.until("all messages", () -> pollSlow() == EARLIER + BURST);
        assertTrue(slow.isConnected());
        assertEquals(List.of(), Drivers.errors(slowDriver));
    }

    @Test
    void losesStreamIfSenderResendsOnlyHalfTerm() throws IOException {
        start("true");
        send(LONG_BURST);
        Await.until(
                "the image's end",
                () -> {
                    pollSlow();
                    return !slow.isConnected();
                });
        assertTrue(slowCount < EARLIER + LONG_BURST, "the sender has resent all");
        assertEquals(1, Drivers.counter(slowBus, SystemCounter.IMAGES_LOST));
    }
}
