// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.client.RawClient;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random commands of several clients, which close or time out: all their shares are returned
 * exactly. The test drives the driver's duty cycles.
 */
@Timeout(120)
class ClientSharesTest {
    private static final int CLIENTS = 3;
    private static final int COMMANDS = 2000;
    private static final String[] CHANNELS = {
        "aeron:ipc?term-length=64k",
        "aeron:ipc?term-length=64k|alias=" + "x".repeat(2000),
        "aeron:ipc?term-length=65", // refused
        "aeron:udp?endpoint=127.0.0.1:31900|term-length=64k",
        "aeron:udp?endpoint=localhost:31901|term-length=64k",
        "aeron:udp?endpoint=no-such-host.invalid:31902|term-length=64k",
        "aeron:udp?control-mode=manual|term-length=64k",
        "aeron:udp?control-mode=manual|term-length=64k|tags=5",
        "aeron-spy:aeron:udp?endpoint=127.0.0.1:31900",
    };

    private final long seed = Long.getLong("verbus.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final MediaDriver driver =
            MediaDriver.launchEmbedded(
                    Drivers.config()
                            .threading(ThreadingMode.INVOKER)
                            .toClientsLength(16 * 1024 * 1024)
                            .share(Share.SUBSCRIPTIONS, 40)
                            .share(Share.PUBLICATIONS, 40)
                            .share(Share.DESTINATIONS, 30)
                            .share(Share.ENDPOINTS, 30)
                            .share(Share.WAITING_COMMANDS, 20)
                            .share(Share.LOOK_UPS, 4)
                            .share(Share.LOG_BYTES, 8 * 1024 * 1024));
    private final List<RawClient> clients = new ArrayList<>();
    private final List<Long> registrations = new ArrayList<>();
    private final Map<Share, Long> most = new EnumMap<>(Share.class);

    private void turn() {
        driver.invoker().invoke();
    }

    private String channel() {
        return CHANNELS[random.nextInt(CHANNELS.length)];
    }

    private long registration() {
        return registrations.isEmpty()
                ? 0
                : registrations.get(random.nextInt(registrations.size()));
    }

    private void command(RawClient client) {
        long id = client.nextId();
        int stream = random.nextInt(3);
        switch (random.nextInt(12)) {
            case 0, 1 -> client.addSubscription(client.id(), id, stream, channel());
            case 2 ->
                    client.addPublication(
                            RawClient.ADD_PUBLICATION, client.id(), id, stream, channel());
            case 3 ->
                    client.addPublication(
                            RawClient.ADD_EXCLUSIVE_PUBLICATION,
                            client.id(),
                            id,
                            stream,
                            channel());
            case 4 -> client.addCounter(RawClient.ADD_COUNTER, client.id(), id, 1001, 0);
            case 5 -> destination(client, id, RawClient.ADD_DESTINATION);
            case 6 -> destination(client, id, RawClient.ADD_RECEIVE_DESTINATION);
            case 7 -> destination(client, id, RawClient.REMOVE_DESTINATION);
            case 8 -> destination(client, id, RawClient.REMOVE_RECEIVE_DESTINATION);
            case 9 -> about(client, id, RawClient.REMOVE_SUBSCRIPTION);
            case 10 -> about(client, id, RawClient.REMOVE_PUBLICATION);
            default -> about(client, id, RawClient.REMOVE_COUNTER);
        }
        registrations.add(id);
        if (registrations.size() > 60) {
            registrations.removeFirst();
        }
    }

    private void destination(RawClient client, long id, int typeId) {
        String channel =
                random.nextInt(4) == 0
                        ? "aeron:ipc?alias=" + random.nextInt(3)
                        : "aeron:udp?endpoint=127.0.0.1:" + (31_910 + random.nextInt(8));
        client.destination(typeId, client.id(), id, registration(), channel);
    }

    private void about(RawClient client, long id, int typeId) {
        client.about(typeId, client.id(), id, registration());
    }

    private Map<Share, Long> held() {
        Shares shares = driver.shares();
        Map<Share, Long> all = new EnumMap<>(Share.class);
        for (Share share : Share.values()) {
            if (shares.all(share) != 0) {
                all.put(share, shares.all(share));
            }
        }
        return all;
    }

    @Test
    void returnsAllSharesWhenClientsEnd() {
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new RawClient(driver, this::turn));
        }
        for (int i = 0; i < COMMANDS; i++) {
            command(clients.get(random.nextInt(CLIENTS)));
            if (i % 3 == 0) {
                turn();
                held().forEach((share, amount) -> most.merge(share, amount, Math::max));
            }
            clients.forEach(RawClient::take);
        }
        assertTrue(most.size() >= 8, seed + ": only " + most);
        clients.removeFirst().close(); // the others go silent
        Await.until(
                () -> seed + ": still held: " + held() + " of at most " + most,
                90,
                () -> {
                    turn();
                    return held().isEmpty();
                });
        for (Share share : Share.values()) {
            for (RawClient client : clients) {
                assertEquals(0, driver.shares().of(share, client.id()));
            }
        }
        driver.close();
    }
}
