// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.control.AvailableImageDecoder;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.share.Share;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.TimeUnit;

/**
 * A client that takes as much as it can of each kind of resource, beside an honest one: the greedy
 * client is rejected with an explanation, and each command of the honest one succeeds.
 */
@Timeout(120)
class GreedyClientTest {
    private static final int PORTS = 31_000;
    private static final String LOG = "aeron:ipc?term-length=64k";
    private static final int MOST = 4000;

    /** Place of the subscription in the event of an image. */
    private static final int SUBSCRIPTION_OF_IMAGE = 16;

    /** Action that the greedy client repeats. */
    private enum Greed {
        SUBSCRIPTIONS("subscriptions") {
            @Override
            long again(RawClient client, int count) {
                return client.addSubscription("aeron:ipc", count);
            }
        },
        LONG_CHANNELS("subscriptions") {
            @Override
            long again(RawClient client, int count) {
                return client.addSubscription("aeron:ipc?alias=" + "x".repeat(4000), count);
            }
        },
        PUBLICATIONS("publications") {
            @Override
            long again(RawClient client, int count) {
                return client.addPublication(LOG, count);
            }
        },
        LOGS("log bytes") {
            @Override
            long again(RawClient client, int count) {
                return client.addPublication("aeron:ipc?term-length=16m", count);
            }
        },
        DESTINATIONS("destinations") {
            @Override
            void begin(RawClient client) {
                registration =
                        client.addPublication("aeron:udp?control-mode=manual|term-length=64k", 1);
                assertFalse(client.answer(registration).isError());
            }

            @Override
            long again(RawClient client, int count) {
                return client.destination(RawClient.ADD_DESTINATION, registration, endpoint(count));
            }
        },
        RECEIVE_DESTINATIONS("destinations") {
            @Override
            void begin(RawClient client) {
                registration = client.addSubscription("aeron:udp?control-mode=manual", 1);
                assertFalse(client.answer(registration).isError());
            }

            @Override
            long again(RawClient client, int count) {
                String channel = count % 2 == 0 ? endpoint(count) : "aeron:ipc?alias=" + count;
                return client.destination(RawClient.ADD_RECEIVE_DESTINATION, registration, channel);
            }
        },
        ENDPOINTS("endpoints") {
            @Override
            long again(RawClient client, int count) {
                return client.addSubscription(endpoint(count), 1);
            }
        },
        COUNTERS("counters") {
            @Override
            long again(RawClient client, int count) {
                return client.addCounter();
            }
        },
        COUNTERS_THAT_COOL("counters") {
            @Override
            long again(RawClient client, int count) {
                long added = client.addCounter();
                RawClient.Event answer = client.answer(added);
                if (answer.isError()) {
                    return client.addCounter(); // refused again
                }
                long removed = client.nextId();
                client.about(RawClient.REMOVE_COUNTER, client.id(), removed, added);
                return removed;
            }
        },
        STATIC_COUNTERS("static counters") {
            @Override
            long again(RawClient client, int count) {
                long correlationId = client.nextId();
                client.addCounter(
                        RawClient.ADD_STATIC_COUNTER, client.id(), correlationId, 1001, count);
                return correlationId;
            }
        },
        POSITIONS("counters") {
            @Override
            void begin(RawClient client) {
                for (int i = 0; i < 20; i++) {
                    assertFalse(client.answer(client.addPublication(LOG, 1)).isError());
                }
            }

            @Override
            long again(RawClient client, int count) {
                return client.addSubscription("aeron:ipc", 1);
            }
        };

        private final String refused;
        long registration;

        /**
         * @param refused what the driver says that there is too much of.
         */
        Greed(String refused) {
            this.refused = refused;
        }

        void begin(RawClient client) {}

        /** Asks for one more, and returns the correlation id. */
        abstract long again(RawClient client, int count);

        private static String endpoint(int count) {
            return "aeron:udp?endpoint=127.0.0.1:" + (PORTS + count);
        }
    }

    private final MediaDriver driver =
            MediaDriver.launchEmbedded(
                    Drivers.config()
                            .clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(60))
                            .toClientsLength(16 * 1024 * 1024)
                            .counterValuesLength(1024 * 128)
                            .share(Share.SUBSCRIPTIONS, 200)
                            .share(Share.PUBLICATIONS, 200)
                            .share(Share.DESTINATIONS, 100)
                            .share(Share.ENDPOINTS, 100)
                            .share(Share.STATIC_COUNTERS, 100)
                            .share(Share.LOOK_UPS, 40)
                            .share(Share.WAITING_COMMANDS, 100)
                            .share(Share.LOG_BYTES, 200L * 1024 * 1024));
    private final RawClient greedy = new RawClient(driver);
    private final RawClient honest = new RawClient(driver);

    @AfterEach
    void close() {
        honest.close();
        greedy.close();
        driver.close();
    }

    private RawClient.Event refused(Greed greed) {
        greed.begin(greedy);
        for (int i = 0; i < MOST; i++) {
            RawClient.Event answer = greedy.answer(greed.again(greedy, i));
            if (answer.isError()) {
                return answer;
            }
        }
        return null;
    }

    @ParameterizedTest
    @EnumSource
    void rejectsGreedyClientAndServesHonestClient(Greed greed) {
        RawClient.Event refusal = refused(greed);
        assertNotNull(refusal, "refused");
        assertTrue(
                refusal.text()
                        .matches(
                                ".*client \\d+ has \\d+ "
                                        + greed.refused
                                        + ", and .* client-share=75 .*"),
                refusal.text());
        assertTrue(
                refusal.code() == ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE
                        || refusal.code() == ErrorCode.STORAGE_SPACE,
                refusal.toString());
        serveTheHonestOne();
    }

    private void served(long correlationId) {
        RawClient.Event answer = honest.answer(correlationId);
        assertFalse(answer.isError(), answer.text());
    }

    private void removed(int typeId, long registrationId) {
        long correlationId = honest.nextId();
        honest.about(typeId, honest.id(), correlationId, registrationId);
        served(correlationId);
    }

    /** Every kind of command. */
    private void serveTheHonestOne() {
        long subscription = honest.addSubscription("aeron:ipc", 1);
        served(subscription);
        long publication = honest.addPublication(LOG, 1);
        served(publication);
        long image = awaitImage(honest, subscription);
        long rejected = honest.nextId();
        honest.rejectImage(honest.id(), rejected, image);
        served(rejected);
        long udp = honest.addSubscription("aeron:udp?endpoint=localhost:30999", 1);
        served(udp);
        long manual = honest.addPublication("aeron:udp?control-mode=manual|term-length=64k", 1);
        served(manual);
        String place = "aeron:udp?endpoint=localhost:30998";
        served(honest.destination(RawClient.ADD_DESTINATION, manual, place));
        served(honest.destination(RawClient.REMOVE_DESTINATION, manual, place));
        long destination = honest.destination(RawClient.ADD_DESTINATION, manual, place);
        served(destination);
        long byId = honest.nextId();
        honest.removeDestinationById(honest.id(), byId, manual, destination);
        served(byId);
        long manualSubscription = honest.addSubscription("aeron:udp?control-mode=manual", 1);
        served(manualSubscription);
        served(honest.destination(RawClient.ADD_RECEIVE_DESTINATION, manualSubscription, place));
        served(honest.destination(RawClient.REMOVE_RECEIVE_DESTINATION, manualSubscription, place));
        long counter = honest.addCounter();
        served(counter);
        long constant = honest.nextId();
        honest.addCounter(RawClient.ADD_STATIC_COUNTER, honest.id(), constant, 1001, 1_000_000);
        served(constant);
        long session = honest.nextId();
        honest.nextSessionId(honest.id(), session);
        served(session);
        honest.ofClient(RawClient.KEEPALIVE, honest.id());
        removed(RawClient.REMOVE_COUNTER, counter);
        removed(RawClient.REMOVE_PUBLICATION, publication);
        removed(RawClient.REMOVE_PUBLICATION, manual);
        removed(RawClient.REMOVE_SUBSCRIPTION, manualSubscription);
        removed(RawClient.REMOVE_SUBSCRIPTION, udp);
        removed(RawClient.REMOVE_SUBSCRIPTION, subscription);
    }

    /** Id of an image of the client's own publication, received by its own subscription. */
    static long awaitImage(RawClient client, long subscription) {
        long own = client.nextId();
        long[] image = new long[1];
        client.addSubscription(client.id(), own, 1, "aeron:ipc");
        Await.until(
                "an image",
                () -> {
                    for (RawClient.Event each : client.take()) {
                        if (each.typeId() == AvailableImageDecoder.TEMPLATE_ID
                                && each.body().getLong(SUBSCRIPTION_OF_IMAGE) == own) {
                            image[0] = each.correlationId();
                        }
                    }
                    return image[0] != 0;
                });
        return image[0];
    }
}
