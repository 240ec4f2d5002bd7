// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.channel.ChannelStatus;
import io.verbus.driver.config.ThreadingMode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Texts of a client's objects, for logs and debuggers. */
@Timeout(60)
class ToStringTest {
    @Test
    void busPrintsDirectoryClientAndState() {
        Bus bus;
        try (MediaDriver driver =
                MediaDriver.launchEmbedded(Drivers.config().threading(ThreadingMode.SHARED))) {
            BusContext context =
                    new BusContext().directoryName(driver.directory()).clientName("prices");
            bus = Bus.connect(context);
            try (bus;
                    Publication publication = bus.addPublication("verbus:ipc", 1)) {
                String open = "bus of " + driver.directory() + " (client prices " + bus.clientId();
                assertEquals(open + ")", bus.toString());
                assertEquals("ACTIVE", ChannelStatus.name(publication.channelStatus()));
            }
        }
        assertTrue(bus.toString().endsWith(", closed)"), bus.toString());
    }

    @Test
    void namesChannelStates() {
        assertEquals("ERRORED", ChannelStatus.name(ChannelStatus.ERRORED));
        assertEquals("INITIALIZING", ChannelStatus.name(ChannelStatus.INITIALIZING));
        assertEquals("CLOSING", ChannelStatus.name(ChannelStatus.CLOSING));
        assertEquals("7", ChannelStatus.name(7));
        assertEquals("INITIALIZING", ChannelStatus.UNKNOWN.toString());
    }
}
