// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.Numbers;
import io.verbus.driver.client.ChildClient;
import io.verbus.driver.config.DriverConfigBuilder;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A subscriber's process stalls until it times out, and then continues. */
@Timeout(120)
@Tag("slow")
class StoppedSubscriberTest {
    private static final String CHANNEL = "verbus:ipc";
    private static final int STREAM = 30;
    private static final int OTHERS = 8;
    private static final int MESSAGES = 2000;

    private final Numbers numbers = new Numbers();

    @Test
    void reusesPositionCounterOnlyAfterProcessEnds() {
        DriverConfigBuilder config =
                Drivers.config().clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(1));
        try (MediaDriver driver = MediaDriver.launchEmbedded(config);
                Bus bus = Drivers.connect(driver);
                ChildProcess stopped =
                        ChildProcess.start(
                                ChildClient.class,
                                driver.directory().toString(),
                                "subscribe",
                                Integer.toString(STREAM))) {
            CountersReader counters = bus.counters();
            Publication publication = bus.addExclusivePublication(CHANNEL, STREAM);
            numbers.offer(publication, 0, 10, 1000);
            stopped.awaitLine("received");
            int id = positionId(counters);
            stopped.signal("STOP");
            Await.until(
                    "much to read, and given up",
                    () -> {
                        numbers.tryOffer(publication, 0, 1000);
                        return Drivers.counter(bus, SystemCounter.CLIENTS_TIMED_OUT) == 1;
                    });
            long position = counters.getCounterValue(id);
            publication.close();

            int freedLater = freedNow(bus);
            awaitReusable(counters, freedLater);
            try (Subscription subscription = bus.addSubscription(CHANNEL, STREAM + 2)) {
                List<ExclusivePublication> others = new ArrayList<>();
                for (int i = 0; i < OTHERS; i++) {
                    others.add(bus.addExclusivePublication(CHANNEL, STREAM + 2));
                }
                stopped.signal("CONT");
                Await.until("continues", () -> counters.getCounterValue(id) != position);
                exchange(others, subscription);
                assertEquals(CountersReader.RECORD_RECLAIMED, counters.getCounterState(id));
            }
            stopped.kill();
            awaitReusable(counters, id);
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    private static int positionId(CountersReader counters) {
        int[] found = {-1};
        counters.forEach(
                (id, type, key, label) -> {
                    if (type == CounterTypes.SUBSCRIBER_POSITION) {
                        found[0] = id;
                    }
                });
        return found[0];
    }

    /** A subscriber's counter that is now freed properly. */
    private static int freedNow(Bus bus) {
        try (Publication publication = bus.addPublication(CHANNEL, STREAM + 1);
                Subscription subscription = bus.addSubscription(CHANNEL, STREAM + 1)) {
            Await.until("joined", () -> publication.isConnected() && subscription.isConnected());
            return positionId(bus.counters());
        }
    }

    private static void awaitReusable(CountersReader counters, int id) {
        Await.until(
                "counter " + id + " reusable",
                () ->
                        counters.getCounterState(id) == CountersReader.RECORD_RECLAIMED
                                && counters.getFreeForReuseDeadline(id)
                                        <= System.currentTimeMillis());
    }

    /** Every message of every publication arrives, in order. */
    private void exchange(List<ExclusivePublication> publications, Subscription subscription) {
        long[] sent = new long[publications.size()];
        long[] received = new long[publications.size()];
        Await.done(
                "all messages",
                () -> {
                    boolean isAll = true;
                    for (int i = 0; i < sent.length; i++) {
                        if (sent[i] < MESSAGES
                                && numbers.tryOffer(publications.get(i), sent[i], 100 + i)) {
                            sent[i]++;
                        }
                        isAll &= received[i] == MESSAGES;
                    }
                    subscription.poll(
                            (buffer, offset, length, header) ->
                                    assertEquals(received[length - 100]++, buffer.getLong(offset)),
                            10);
                    return isAll;
                });
    }
}
