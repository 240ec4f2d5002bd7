// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

@Timeout(60)
class NamesTest {
    private final Background background =
            new Background(
                    error -> {
                        throw new AssertionError(error);
                    });
    private final List<Long> taken = Collections.synchronizedList(new ArrayList<>());
    private final Names names = new Names(background, new HostNames.SystemNames(), taken::add);

    @AfterEach
    void close() {
        background.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.2.3", "::1", "fe80::1"})
    void anAddressNeedsNoLookUp(String text) {
        assertTrue(names.lookUp(text).isDone());
        assertFalse(names.address(text, 7400).isUnresolved());
        assertEquals(7400, names.address(text, 7400).getPort());
    }

    @Test
    void aNameIsKnownWhenTheConductorHasHeardOfIt() {
        CompletableFuture<Void> lookUp = names.lookUp("localhost");
        assertFalse(lookUp.isDone());
        assertSame(lookUp, names.lookUp("localhost"), "one question at a time");
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
        assertFalse(names.lookUp("localhost").isDone(), "asked anew");
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
    void anInterfaceIsAnAddressOfThisHost(String name, String address) {
        CompletableFuture<Void> lookUp = names.lookUp(name);
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
    void anUnknownNameStaysUnresolved(String name) {
        CompletableFuture<Void> lookUp = names.lookUp(name);
        Await.until(
                "not found",
                () -> {
                    background.tell(1);
                    return lookUp.isDone();
                });
        assertTrue(names.address(name, 1).isUnresolved());
    }
}
