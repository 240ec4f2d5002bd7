// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.Await;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareException;
import io.verbus.driver.share.ShareLimits;
import io.verbus.driver.share.Shares;

import org.agrona.concurrent.status.CountersManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(60)
class NamesTest {
    private static final long CLIENT = 7;
    private static final long OTHER = 8;
    private static final int NAMES = 100;
    private final Shares shares =
            new Shares(new ShareLimits(50, Map.of(Share.LOOK_UPS, 2L * NAMES)));
    private final Background background =
            new Background(
                    error -> {
                        throw new AssertionError(error);
                    });
    private final List<Long> taken = Collections.synchronizedList(new ArrayList<>());
    private final Names names =
            new Names(background, new HostNames.SystemNames(), taken::add, shares);

    @AfterEach
    void close() {
        background.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.2.3", "::1", "fe80::1"})
    void addressNeedsNoLookUp(String text) {
        assertTrue(names.lookUp(CLIENT, text).isDone());
        assertFalse(names.address(text, 7400).isUnresolved());
        assertEquals(7400, names.address(text, 7400).getPort());
    }

    @Test
    void resolvesNameOnceConductorReceivesResult() {
        CompletableFuture<Void> lookUp = names.lookUp(CLIENT, "localhost");
        assertFalse(lookUp.isDone());
        assertSame(lookUp, names.lookUp(CLIENT, "localhost"), "one question at a time");
        assertTrue(names.address("localhost", 1).isUnresolved());
        Await.until(
                "found",
                () -> {
                    background.tell(1);
                    return lookUp.isDone();
                });
        assertTrue(names.address("localhost", 1).getAddress().isLoopbackAddress());
        assertEquals(1, taken.size());
        assertTrue(taken.getFirst() > 0, "nanoseconds");
        assertFalse(names.lookUp(CLIENT, "localhost").isDone(), "asked anew");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.0/8, 127.0.0.1",
        "127.9.9.9/8, 127.0.0.1",
        "127.0.0.1/32, 127.0.0.1",
        "localhost/8, 127.0.0.1",
        "{lo}, 127.0.0.1",
        "127.0.0.2/32,",
        "203.0.113.0/24,",
        "{nowhere0},"
    })
    void resolvesInterfaceToLocalAddress(String name, String address) {
        CompletableFuture<Void> lookUp = names.lookUp(CLIENT, name);
        Await.until(
                "found",
                () -> {
                    background.tell(1);
                    return lookUp.isDone();
                });
        InetAddress found = names.address(name, 1).getAddress();
        assertEquals(address, found == null ? null : found.getHostAddress());
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-host.invalid", "host-7"})
    void leavesUnknownNameUnresolved(String name) {
        CompletableFuture<Void> lookUp = names.lookUp(CLIENT, name);
        Await.until(
                "not found",
                () -> {
                    background.tell(1);
                    return lookUp.isDone();
                });
        assertTrue(names.address(name, 1).isUnresolved());
    }

    /** Answers no name that begins with "silent", until the test ends. */
    private static final class Silent implements HostNames {
        private final CountDownLatch end = new CountDownLatch(1);

        @Override
        public void open(CountersManager counters) {}

        @Override
        public InetAddress address(String name) throws UnknownHostException {
            if (name.startsWith("silent")) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new UnknownHostException(name);
                }
            }
            return InetAddress.getLoopbackAddress();
        }
    }

    @Test
    void resolvesNamesOfOneClientWhileNamesOfAnotherHang() {
        Silent silent = new Silent();
        Names asked = new Names(background, silent, taken::add, shares);
        for (int i = 0; i < NAMES; i++) {
            asked.lookUp(CLIENT, "silent" + i);
        }
        assertThrows(ShareException.class, () -> asked.lookUp(CLIENT, "silent"));
        assertEquals(NAMES, shares.of(Share.LOOK_UPS, CLIENT));
        for (int i = 0; i < NAMES; i++) {
            CompletableFuture<Void> answer = asked.lookUp(OTHER, "quick" + i);
            Await.until("answered", () -> background.tell(1) + 1 > 0 && answer.isDone());
        }
        assertEquals(0, shares.of(Share.LOOK_UPS, OTHER));
        silent.end.countDown();
        Await.until(
                "all answered",
                () -> background.tell(10) + 1 > 0 && shares.all(Share.LOOK_UPS) == 0);
    }

    @Test
    void refreshesKnownNamesWhileUnknownOnesHang() {
        Silent silent = new Silent();
        Names asked = new Names(background, silent, taken::add, shares);
        find(asked, Shares.NOBODY, "quick");
        for (int i = 0; i < 200; i++) {
            asked.lookUp(Shares.NOBODY, "silent" + i);
        }
        find(asked, Shares.NOBODY, "quick");
        silent.end.countDown();
    }

    /** A client may use its own names, and those of another client. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refreshesNamesOfOneClientWhileNamesOfAnotherHang(boolean areKnown) {
        AtomicBoolean isSilent = new AtomicBoolean();
        Silent silent = new Silent();
        Names asked =
                new Names(
                        background,
                        new HostNames() {
                            @Override
                            public void open(CountersManager counters) {}

                            @Override
                            public InetAddress address(String name) throws UnknownHostException {
                                if (isSilent.get() && name.startsWith("greedy")) {
                                    return silent.address("silent");
                                }
                                if (areKnown) {
                                    return InetAddress.getLoopbackAddress();
                                }
                                throw new UnknownHostException(name);
                            }
                        },
                        taken::add,
                        shares);
        find(asked, OTHER, "honest");
        for (int i = 0; i < NAMES; i++) {
            find(asked, CLIENT, "greedy" + i);
        }
        find(asked, CLIENT, "honest");
        isSilent.set(true);
        for (int i = 0; i < NAMES; i++) {
            asked.lookUp(Shares.NOBODY, "greedy" + i);
        }
        find(asked, Shares.NOBODY, "honest");
        silent.end.countDown();
    }

    @Test
    void evictsOnlyNamesOfClientThatHasTooMany() {
        Names asked = new Names(background, new Silent(), taken::add, shares);
        find(asked, OTHER, "kept");
        for (int i = 0; i < 1100; i++) {
            find(asked, CLIENT, "name" + i);
        }
        assertFalse(asked.address("kept", 1).isUnresolved());
        assertFalse(asked.address("name1099", 1).isUnresolved());
        assertTrue(asked.address("name0", 1).isUnresolved());
    }

    private void find(Names asked, long client, String name) {
        CompletableFuture<Void> answer = asked.lookUp(client, name);
        Await.done("found", () -> background.tell(1) + 1 > 0 && answer.isDone());
    }
}
