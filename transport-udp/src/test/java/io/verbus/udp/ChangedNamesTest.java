// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.TransportException;
import io.verbus.udp.common.MovedNames;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Tests the error log's entries for names that move, which contain the channel as the client wrote
 * it.
 */
class ChangedNamesTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final String WRITTEN = "aeron:udp?x=1|endpoint=host.x:4000|mtu=1408";

    @TempDir Path folder;

    /** The error of a name that is watched until it was looked up again. */
    private String error(TestDriver driver, Consumer<InetSocketAddress> moved) {
        MovedNames names = new MovedNames(driver, 5 * SECOND_NS, 0);
        ChannelUri channel = ChannelUri.parse(WRITTEN);
        names.watch(
                this,
                channel,
                "endpoint",
                channel.endpoint(),
                new InetSocketAddress("10.1.2.3", 4000),
                () -> true,
                moved);
        for (int i = 0; i < 7; i++) {
            names.work(i * SECOND_NS);
        }
        assertEquals(1, driver.errors.size(), driver.errors.toString());
        return driver.errors.getFirst();
    }

    private static void assertNamesChannel(String error) {
        assertTrue(error.contains("'" + WRITTEN + "'"), error);
    }

    @Test
    void reportsNameThatNoLongerResolves() {
        try (TestDriver driver = new TestDriver(1, folder)) {
            String error = error(driver, to -> {});
            assertNamesChannel(error);
            assertTrue(error.contains("can no longer be resolved"), error);
        }
    }

    @Test
    void reportsNameOfOtherIpVersion() {
        try (TestDriver driver = new TestDriver(1, folder)) {
            driver.hosts.put("host.x", "::1");
            String error = error(driver, to -> {});
            assertNamesChannel(error);
            assertTrue(error.contains("of the other IP version"), error);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TransportException", "IllegalStateException", "AssertionError"})
    void reportsExceptionAfterNameChanges(String thrown) {
        List<InetSocketAddress> told = new ArrayList<>();
        try (TestDriver driver = new TestDriver(1, folder)) {
            driver.hosts.put("host.x", "10.9.9.9");
            String error =
                    error(
                            driver,
                            to -> {
                                told.add(to);
                                fail(thrown);
                            });
            assertEquals(1, told.size());
            assertTrue(error.endsWith("no way"), error);
            if (!thrown.equals("AssertionError")) { // which ends the driver
                assertNamesChannel(error);
            }
        }
    }

    private static void fail(String thrown) {
        switch (thrown) {
            case "TransportException" -> throw new TransportException("no way");
            case "IllegalStateException" -> throw new IllegalStateException("no way");
            default -> throw new AssertionError("no way");
        }
    }
}
