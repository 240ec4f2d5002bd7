// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.ClaimLostException;

import org.agrona.collections.MutableLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** A publisher stops between claim and commit, for longer than the unblock timeout. */
@Timeout(60)
class StoppedPublisherTest {
    private static final String CHANNEL = "verbus:ipc";
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int LENGTH = 64;
    private static final int LAPS = 3;

    private static MediaDriver driver() {
        return MediaDriver.launchEmbedded(
                Drivers.config().clientLivenessTimeoutNs(TIMEOUT_NS).unblockTimeoutNs(TIMEOUT_NS));
    }

    @Test
    void unblocksClaimWhileOtherStreamsContinue() {
        try (MediaDriver driver = driver();
                Bus stopped = Drivers.connect(driver);
                Bus others = Drivers.connect(driver);
                Subscription subscription = others.addSubscription(CHANNEL, 1);
                Publication claiming = stopped.addPublication(CHANNEL, 1);
                Publication publication = others.addPublication(CHANNEL, 1)) {
            BufferClaim claim = new BufferClaim();
            BufferClaim aborted = new BufferClaim();
            Await.until("claimed", () -> claiming.tryClaim(LENGTH, claim) > 0);
            assertTrue(claiming.tryClaim(LENGTH, aborted) > 0);
            MutableLong sent = new MutableLong();
            MutableLong received = new MutableLong();
            long end = publication.position() + LAPS * 3L * publication.termLength() + 1;
            Await.until("laps", () -> exchange(publication, subscription, sent, received, end));
            // The same places hold unread messages of others, of the same length.
            for (int i = 0; i < 100; i++) {
                send(publication, sent);
            }
            assertThrows(ClaimLostException.class, claim::commit);
            assertEquals(false, aborted.abort());
            Await.until(
                    "all of it",
                    () -> {
                        receive(subscription, received);
                        return received.value == sent.value;
                    });
            Await.until("counted", () -> Drivers.counter(others, SystemCounter.UNBLOCKED) == 2);
            Await.until("reported", () -> !Drivers.errors(driver).isEmpty());
            List<String> errors = Drivers.errors(driver);
            assertEquals(1, errors.size(), errors.toString());
            String error = errors.getFirst();
            assertTrue(error.contains("WARN: "), "Aeron's tools take it for a warning: " + error);
            assertTrue(error.contains(" of stream 1 on channel 'verbus:ipc': "), error);
            assertTrue(error.contains(" claim that was not committed within 1000 ms "), error);
        }
    }

    private static boolean exchange(
            Publication publication,
            Subscription subscription,
            MutableLong sent,
            MutableLong received,
            long end) {
        for (int i = 0; i < 100 && publication.position() < end; i++) {
            send(publication, sent);
            receive(subscription, received);
        }
        return publication.position() >= end;
    }

    private static void send(Publication publication, MutableLong sent) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
        message.putLong(0, sent.value);
        if (publication.offer(message) > 0) {
            sent.value++;
        }
    }

    private static void receive(Subscription subscription, MutableLong received) {
        subscription.poll(
                (buffer, offset, length, header) ->
                        assertEquals(received.value++, buffer.getLong(offset)),
                50);
    }

    @Test
    void keepsExclusiveClaimWhileClientLives() {
        try (MediaDriver driver = driver();
                Bus bus = Drivers.connect(driver);
                Subscription subscription = bus.addSubscription(CHANNEL, 2);
                ExclusivePublication exclusive = bus.addExclusivePublication(CHANNEL, 2);
                Subscription other = bus.addSubscription(CHANNEL, 3);
                Publication concurrent = bus.addPublication(CHANNEL, 3)) {
            BufferClaim claim = new BufferClaim();
            BufferClaim lost = new BufferClaim();
            Await.until("claimed", () -> exclusive.tryClaim(LENGTH, claim) > 0);
            Await.until("claimed", () -> concurrent.tryClaim(LENGTH, lost) > 0);
            Await.until(
                    "the later one is unblocked",
                    () -> Drivers.counter(bus, SystemCounter.UNBLOCKED) == 1);
            claim.buffer().putLong(claim.offset(), 4711);
            claim.commit();
            MutableLong received = new MutableLong();
            Await.until(
                    "received",
                    () ->
                            subscription.poll(
                                            (buffer, offset, length, header) ->
                                                    received.value = buffer.getLong(offset),
                                            1)
                                    == 1);
            assertEquals(4711, received.value);
            assertTrue(other.isConnected());
        }
    }
}
