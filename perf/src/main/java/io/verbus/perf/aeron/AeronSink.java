// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.verbus.perf.load.Arrivals;
import io.verbus.perf.load.Sink;

import org.agrona.concurrent.AgentInvoker;

import java.util.List;

/** The receiving end of a stream on Aeron. */
final class AeronSink implements Sink {
    private static final int FRAGMENT_LIMIT = 256;

    private final Subscription[] subscriptions;
    private final FragmentHandler[] handlers;
    private final AgentInvoker driver;
    private final AgentInvoker client;

    AeronSink(
            List<Subscription> subscriptions,
            Arrivals[] arrivals,
            AgentInvoker driver,
            AgentInvoker client) {
        this.subscriptions = subscriptions.toArray(Subscription[]::new);
        this.driver = driver;
        this.client = client;
        handlers = new FragmentHandler[arrivals.length];
        for (int i = 0; i < handlers.length; i++) {
            handlers[i] = handler(arrivals[i]);
        }
    }

    private static FragmentHandler handler(Arrivals arrivals) {
        return (buffer, offset, length, header) ->
                arrivals.onMessage(buffer.getLong(offset), length);
    }

    @Override
    public int poll() {
        if (driver != null) {
            driver.invoke();
            client.invoke();
        }
        int count = 0;
        for (int i = 0; i < subscriptions.length; i++) {
            count += subscriptions[i].poll(handlers[i], FRAGMENT_LIMIT);
        }
        return count;
    }
}
