// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.tools.ToolRun;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code verbus clients} tells why a stream over RDMA has no receiver, as the peer says. */
@Tag("lab")
@Timeout(120)
class WaitingStreamsLabTest {
    private static final int PORT = 24_361;

    private static String clients(Host host) {
        ToolRun run = ToolRun.of("clients", "--dir", host.directory().toString());
        assertEquals(0, run.status(), run.err());
        return run.out();
    }

    private static void await(Host host, String... parts) {
        for (String part : parts) {
            Await.until(
                    () -> part + " in\n" + clients(host), 60, () -> clients(host).contains(part));
        }
    }

    @Test
    void reportsStreamsAvailableAtPeer() throws Exception {
        try (Host b = Host.b();
                Host a = Host.a()) {
            Bus subscriber = b.connect();
            String channel = b.channel(PORT);
            String endpoint = Host.addressB() + ":" + PORT;
            subscriber.addSubscription(channel, 12);
            Subscription other = subscriber.addSubscription(channel, 10);
            Bus publisher = a.connect();
            String sent = Host.overWire(b.channel(PORT, "term-length=64k"));
            publisher.addExclusivePublication(sent, 11);
            await(
                    a,
                    "no subscription for stream 11 at " + endpoint,
                    ", only for streams 10, 12: use the same stream id at both ends");
            await(b, "no publication of stream 10 has reached " + endpoint);
            Publication carried = publisher.addExclusivePublication(sent, 10);
            Await.until("connected", () -> carried.isConnected() && other.isConnected());
            await(b, "no publication of stream 12 has reached " + endpoint + "; stream 10 exists");
            await(a, "connected verbus:rdma?endpoint=" + endpoint);
            other.close();
            await(
                    a,
                    "no receiver ",
                    "no subscription for stream 10 at " + endpoint,
                    ", only for stream 12: use");
        }
    }
}
