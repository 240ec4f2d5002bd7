// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;

import org.junit.jupiter.api.Test;

/** Subscriptions with unusable interfaces are rejected with an explanation. */
class UdpInterfaceTest {
    /** An address reserved for documentation, which no host has. */
    private static final String ELSEWHERE = "192.0.2.1";

    @Test
    void rejectsUnusableInterfaceOfGroupOnly() {
        try (MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config());
                Bus bus = Drivers.connect(driver)) {
            String unicast = "verbus:udp?endpoint=127.0.0.1:0|interface=" + ELSEWHERE;
            bus.addSubscription(unicast, 1).close(); // has no effect, as in Aeron
            String group =
                    Drivers.refusal(
                            () ->
                                    bus.addSubscription(
                                            "verbus:udp?endpoint=239.7.7.7:40123|interface="
                                                    + ELSEWHERE,
                                            1));
            assertTrue(group.contains(ELSEWHERE), group);
        }
    }
}
