// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.Numbers;
import io.verbus.driver.files.DriverDirectory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.List;

/** Publications over UDP whose last receiver has gone. */
@Timeout(60)
class UdpLastReceiverTest {
    private static final int STREAM = 10;
    private static final int LENGTH = 1000;

    private final Numbers numbers = new Numbers();
    private MediaDriver driver;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver =
                MediaDriver.launch(
                        Drivers.config().directory(DriverDirectory.uniquePath()).build());
        bus = Drivers.connect(driver);
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        assertEquals(List.of(), errors);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rejectsOffersUntilNewReceiverJoins(boolean isExclusive) throws IOException {
        String channel = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (Publication publication =
                isExclusive
                        ? bus.addExclusivePublication(channel, STREAM)
                        : bus.addPublication(channel, STREAM)) {
            for (long round = 0; round < 2; round++) {
                try (Subscription subscription = bus.addSubscription(channel, STREAM)) {
                    numbers.offer(publication, 100 * round, 100 * round + 50, LENGTH);
                    assertEquals(
                            Numbers.range(100 * round, 100 * round + 50),
                            Numbers.drain(subscription, 50));
                }
                Await.until("not connected", () -> !publication.isConnected());
                numbers.offerToNobody(publication, LENGTH);
                assertTrue(publication.positionLimit() <= publication.position());
            }
        }
    }
}
