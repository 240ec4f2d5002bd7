// SPDX-License-Identifier: Apache-2.0

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.TimeUnit;

/**
 * Prints how long the first three UDP publications of a driver take until a waiting subscriber has
 * them: the time to add the publication, and from then until the first message is accepted.
 *
 * <p>Usage: {@code FirstConnections PORT}, with the system property {@code aeron.dir}.
 */
final class FirstConnections {
    private static final int STREAM = 1010;

    public static void main(String[] args) throws InterruptedException {
        int port = Integer.parseInt(args[0]);
        UnsafeBuffer message = new UnsafeBuffer(new byte[32]);
        try (Aeron aeron = Aeron.connect()) {
            for (int each = 0; each < 3; each++) {
                String channel = "aeron:udp?endpoint=127.0.0.1:" + (port + each);
                try (Subscription waiting = aeron.addSubscription(channel, STREAM)) {
                    while (waiting.tryResolveChannelEndpointPort() == null) {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                    long startNs = System.nanoTime();
                    Publication publication = aeron.addPublication(channel, STREAM);
                    long addedNs = System.nanoTime();
                    while (publication.offer(message) < 0) {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                    long connectedNs = System.nanoTime();
                    System.out.printf(
                            "connection %d: added in %.1f ms, connected %.1f ms later%n",
                            each + 1, (addedNs - startNs) / 1e6, (connectedNs - addedNs) / 1e6);
                    publication.close();
                }
            }
        }
    }

    private FirstConnections() {}
}
