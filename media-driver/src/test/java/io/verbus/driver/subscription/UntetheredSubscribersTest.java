// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.Numbers;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Untethered subscribers: bus and driver. */
@Timeout(120)
class UntetheredSubscribersTest {
    private static final int STREAM = 10;
    private static final int LENGTH = 1000;
    private static final int MOST_AHEAD = 2 * 64 * 1024;
    private static final long RESTING_NS = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final String UDP = "udp?endpoint=127.0.0.1:PORT";

    private final Numbers numbers = new Numbers();
    private final List<Image> available = Collections.synchronizedList(new ArrayList<>());
    private final List<Image> unavailable = Collections.synchronizedList(new ArrayList<>());
    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> fast = new ArrayList<>();
    private final List<Long> slow = new ArrayList<>();
    private MediaDriver driver;
    private Bus bus;
    private String port;
    private long next;

    @BeforeEach
    void launch() throws IOException {
        port = Integer.toString(UdpInteropTest.freePort());
        launch(true);
    }

    private void launch(boolean tetherSubscriptions) {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(30))
                                .tetherSubscriptions(tetherSubscriptions)
                                .untetheredWindowLimitNs(TimeUnit.MILLISECONDS.toNanos(100))
                                .untetheredLingerNs(TimeUnit.MILLISECONDS.toNanos(50))
                                .untetheredRestingNs(RESTING_NS));
        bus = Bus.connect(Drivers.context(driver).errorHandler(clientErrors::add));
    }

    /** The channel at the test's own port. */
    private String at(String channel) {
        return channel.replace("PORT", port);
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    private Subscription untethered(String channel) {
        return bus.addSubscription(
                at(channel) + (channel.contains("?") ? "|" : "?") + "tether=false",
                STREAM,
                available::add,
                unavailable::add);
    }

    private void publishFor(Publication publication, Subscription reader) {
        if (numbers.tryOffer(publication, next, LENGTH)) {
            next++;
        }
        Numbers.poll(reader, fast);
    }

    private void connected(Publication publication, Subscription... subscriptions) {
        Await.until("connected", publication::isConnected);
        for (Subscription each : subscriptions) {
            Await.until("image", each::isConnected);
        }
    }

    private static void assertConsecutive(List<Long> numbers) {
        for (int i = 1; i < numbers.size(); i++) {
            assertEquals(numbers.get(i - 1) + 1, numbers.get(i));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "verbus:ipc,verbus:ipc,verbus:ipc,false",
        "verbus:ipc,verbus:ipc,verbus:ipc,true",
        "verbus:" + UDP + ",verbus:" + UDP + ",verbus:" + UDP + ",false",
        "verbus:" + UDP + ",verbus:" + UDP + ",verbus-spy:" + UDP + ",true",
        "aeron:" + UDP + "|ssc=true,aeron-spy:aeron:" + UDP + ",aeron-spy:aeron:" + UDP + ",true"
    })
    void detachesAndRejoinsSlowSubscriberWhileOtherLosesNothing(
            String published, String read, String readSlowly, boolean exclusive) {
        try (Subscription reader = bus.addSubscription(at(read), STREAM);
                Subscription lazy = untethered(readSlowly);
                Publication publication =
                        exclusive
                                ? bus.addExclusivePublication(at(published), STREAM)
                                : bus.addPublication(at(published), STREAM)) {
            connected(publication, reader, lazy);
            numbers.offer(publication, next++, LENGTH);
            Await.until(
                    "a message",
                    () -> {
                        Numbers.poll(lazy, slow);
                        return !slow.isEmpty();
                    });
            Image first = available.getFirst();
            long read1 = first.position();
            Await.done(
                    "let go",
                    () -> {
                        publishFor(publication, reader);
                        return !unavailable.isEmpty();
                    });
            assertTrue(first.isClosed());
            assertEquals(read1, first.position());
            assertEquals(0, first.poll((buffer, offset, length, header) -> {}, 10));
            assertTrue(reader.isConnected());
            Await.done(
                    "back",
                    () -> {
                        publishFor(publication, reader);
                        return available.size() == 2;
                    });
            assertTrue(publication.position() > read1 + MOST_AHEAD, "was held back");
            Image second = available.get(1);
            assertEquals(first.imageId(), second.imageId());
            assertTrue(second.joinPosition() > read1);
            slow.clear();
            long end = next + 300;
            Await.done(
                    "both read",
                    () -> {
                        if (next < end) {
                            publishFor(publication, reader);
                        }
                        Numbers.poll(reader, fast);
                        Numbers.poll(lazy, slow);
                        return fast.size() == end && !slow.isEmpty() && slow.getLast() == end - 1;
                    });
            assertEquals(Numbers.range(0, end), fast);
            assertConsecutive(slow);
            assertEquals(1, unavailable.size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbus:ipc", "verbus:" + UDP})
    void keepsPositionCounterAfterRejoin(String channel) {
        try (Subscription reader = bus.addSubscription(at(channel), STREAM);
                Subscription lazy = untethered(channel);
                Publication publication = bus.addPublication(at(channel), STREAM)) {
            connected(publication, reader, lazy);
            int counter = counterOf(lazy);
            long image = bus.counters().getCounterReferenceId(counter);
            assertEquals(available.getFirst().imageId(), image);
            Await.done(
                    "let go",
                    () -> {
                        publishFor(publication, reader);
                        return !unavailable.isEmpty();
                    });
            assertEquals(-image, bus.counters().getCounterReferenceId(counter));
            Await.until(
                    "rests", () -> bus.counters().getCounterLabel(counter).endsWith(" resting"));
            assertEquals(counter, counterOf(lazy));
            Await.until("back", () -> available.size() == 2);
            assertEquals(counter, counterOf(lazy));
            assertEquals(image, bus.counters().getCounterReferenceId(counter));
            long joined = available.get(1).joinPosition();
            assertEquals(joined, bus.counters().getCounterValue(counter));
            assertTrue(bus.counters().getCounterLabel(counter).endsWith(" @" + joined));
        }
    }

    private int counterOf(Subscription subscription) {
        int[] found = {-1};
        bus.counters()
                .forEach(
                        (id, type, key, label) -> {
                            if (type == CounterTypes.SUBSCRIBER_POSITION
                                    && key.getLong(0) == subscription.registrationId()) {
                                found[0] = id;
                            }
                        });
        return found[0];
    }

    /** There is no other subscriber that it could lag behind. */
    @ParameterizedTest
    @ValueSource(strings = {"verbus:ipc", "verbus:" + UDP})
    void neverDetachesOnlySubscriber(String channel) throws IOException {
        String other =
                channel.equals("verbus:ipc")
                        ? "verbus:ipc"
                        : "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (Subscription lazy = untethered(channel);
                Publication publication = bus.addPublication(at(channel), STREAM);
                Subscription control = bus.addSubscription(other, STREAM + 1);
                Subscription controlled =
                        bus.addSubscription(
                                other + (other.contains("?") ? "|" : "?") + "tether=false",
                                STREAM + 1,
                                image -> {},
                                fastGone -> fast.add(0L));
                Publication beside = bus.addPublication(other, STREAM + 1)) {
            connected(publication, lazy);
            connected(beside, control, controlled);
            Await.until("full", () -> !numbers.tryOffer(publication, next++, LENGTH));
            Await.done(
                    "another one is let go",
                    () -> {
                        numbers.tryOffer(beside, 0, LENGTH);
                        control.poll((buffer, offset, length, header) -> {}, 10);
                        return !fast.isEmpty();
                    });
            assertEquals(List.of(), unavailable);
            assertTrue(lazy.isConnected());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbus:ipc", "verbus:" + UDP, "verbus-spy:" + UDP})
    void detachesPermanentlyIfRejoinIsFalse(String place) {
        String channel = at(place);
        String published = channel.replace("-spy", "");
        Subscription reader =
                bus.addSubscription(
                        published.contains("udp") && !channel.contains("spy")
                                ? published + "|rejoin=false"
                                : published,
                        STREAM);
        try (Subscription lazy =
                        bus.addSubscription(
                                channel
                                        + (channel.contains("?") ? "|" : "?")
                                        + "tether=false|rejoin=false",
                                STREAM,
                                available::add,
                                unavailable::add);
                Publication publication = bus.addPublication(published, STREAM)) {
            connected(publication, reader, lazy);
            int counter = counterOf(lazy);
            Await.done(
                    "let go, and its counter free",
                    () -> {
                        publishFor(publication, reader);
                        return unavailable.size() == 1
                                && bus.counters().getCounterState(counter)
                                        == CountersReader.RECORD_RECLAIMED;
                    });
            long until = System.nanoTime() + 2 * RESTING_NS;
            Await.done(
                    "twice as long as others rest",
                    () -> {
                        publishFor(publication, reader);
                        return System.nanoTime() - until >= 0;
                    });
            assertEquals(1, available.size());
            assertFalse(lazy.isConnected());
            reader.close();
            Await.until("nobody reads", () -> !publication.isConnected());
        }
    }

    /** Over IPC the stream continues; over a network the peer waits for the resting subscriber. */
    @Test
    void rejoinsRestingSubscriberOnceOthersHaveLeft() {
        Subscription reader = bus.addSubscription(at("verbus:" + UDP), STREAM);
        try (Subscription lazy = untethered("verbus:" + UDP);
                Publication publication = bus.addPublication(at("verbus:" + UDP), STREAM)) {
            connected(publication, reader, lazy);
            Await.done(
                    "let go",
                    () -> {
                        publishFor(publication, reader);
                        return !unavailable.isEmpty();
                    });
            reader.close();
            slow.clear();
            Await.done(
                    "read on",
                    () -> {
                        if (numbers.tryOffer(publication, next, LENGTH)) {
                            next++;
                        }
                        Numbers.poll(lazy, slow);
                        return slow.size() > 1000;
                    });
            assertConsecutive(slow);
        }
    }

    @Test
    void disconnectsIpcPublicationWhileAllSubscribersRest() {
        Subscription reader = bus.addSubscription("verbus:ipc", STREAM);
        try (Subscription lazy = untethered("verbus:ipc");
                Publication publication = bus.addExclusivePublication("verbus:ipc", STREAM)) {
            connected(publication, reader, lazy);
            Await.done(
                    "let go",
                    () -> {
                        publishFor(publication, reader);
                        return !unavailable.isEmpty();
                    });
            reader.close();
            Await.until("not connected", () -> !publication.isConnected());
            Await.until("back", () -> available.size() == 2 && publication.isConnected());
            assertEquals(publication.position(), available.get(1).joinPosition());
            numbers.offer(publication, next, LENGTH);
            slow.clear();
            Await.until(
                    "read",
                    () -> {
                        Numbers.poll(lazy, slow);
                        return slow.equals(List.of(next));
                    });
        }
    }

    /** Its process polls before it processes the events received in the meantime. */
    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void stalledSubscriberDeliversNoOverwrittenMessages(boolean exclusive, boolean isPreset) {
        if (isPreset) {
            close();
            launch(false);
        }
        BusContext context =
                Drivers.context(driver)
                        .useConductorAgentInvoker(true)
                        .errorHandler(clientErrors::add);
        try (Bus stopped = Bus.connect(context);
                Subscription lazy =
                        stopped.addSubscription(
                                isPreset ? "verbus:ipc" : "verbus:ipc?tether=false",
                                STREAM,
                                available::add,
                                unavailable::add);
                Subscription reader = bus.addSubscription("verbus:ipc?tether=true", STREAM);
                Publication publication =
                        exclusive
                                ? bus.addExclusivePublication("verbus:ipc", STREAM)
                                : bus.addPublication("verbus:ipc", STREAM)) {
            connected(publication, reader);
            Await.until(
                    "a message",
                    () -> {
                        stopped.conductorAgentInvoker().invoke();
                        publishFor(publication, reader);
                        Numbers.poll(lazy, slow, 1);
                        return !slow.isEmpty();
                    });
            Image image = available.getFirst();
            long position = image.position();
            Await.done(
                    "all written over",
                    () -> {
                        publishFor(publication, reader);
                        return publication.position() > position + 4 * 64 * 1024;
                    });
            for (int i = 0; i < 10; i++) {
                assertEquals(0, lazy.poll((buffer, offset, length, header) -> {}, 10));
            }
            assertFalse(image.isClosed(), "not told yet");
            assertEquals(position, image.position());
            slow.clear();
            Await.done(
                    "read on",
                    () -> {
                        stopped.conductorAgentInvoker().invoke();
                        publishFor(publication, reader);
                        Numbers.poll(lazy, slow);
                        return slow.size() > 500;
                    });
            assertTrue(image.isClosed());
            assertConsecutive(fast);
        }
    }

    /** Like a subscriber that was stopped for longer than it lingers. */
    @ParameterizedTest
    @ValueSource(strings = {"verbus:ipc", "verbus:" + UDP})
    void subscriberWithInvalidPositionRestsWithoutBackPressure(String channel) {
        try (Subscription reader = bus.addSubscription(at(channel), STREAM);
                Subscription lazy = untethered(channel);
                Publication publication = bus.addPublication(at(channel), STREAM)) {
            connected(publication, reader, lazy);
            Await.done(
                    "well on",
                    () -> {
                        publishFor(publication, reader);
                        Numbers.poll(lazy, slow);
                        return slow.size() > 500;
                    });
            int counter = counterOf(lazy);
            bus.counters().valuesBuffer().putLongRelease(CountersReader.counterOffset(counter), 32);
            Await.done(
                    "back",
                    () -> {
                        publishFor(publication, reader);
                        return available.size() == 2 && unavailable.size() == 1;
                    });
            slow.clear();
            Await.done(
                    "read on",
                    () -> {
                        publishFor(publication, reader);
                        Numbers.poll(lazy, slow);
                        return slow.size() > 500;
                    });
            assertConsecutive(slow);
            assertConsecutive(fast);
        }
    }
}
