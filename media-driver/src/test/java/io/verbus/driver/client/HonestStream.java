// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpMessages;

import org.agrona.concurrent.AgentInvoker;

/**
 * A client with a stream beside hostile ones, on its own thread: numbered messages with checksums,
 * each verified.
 */
public final class HonestStream implements AutoCloseable {
    static final int STREAM = 1_000_001;
    private static final int MAX_MESSAGE = 1000;

    /** Turns between two reads of the broadcast buffer: hostile clients fill it fast. */
    private static final int TURNS = 8;

    private final Bus bus;
    private final Publication publication;
    private final Subscription subscription;
    private final UdpMessages messages;
    private final Thread thread;

    /** Written by the thread, read by the test. */
    private volatile long received;

    private volatile Throwable failure;
    private volatile boolean isStopped;

    public HonestStream(MediaDriver driver, String channel, long seed) {
        bus = Bus.connect(Drivers.context(driver).useConductorAgentInvoker(true));
        subscription = bus.addSubscription(channel, STREAM);
        publication = bus.addPublication(channel, STREAM);
        messages = new UdpMessages(seed, MAX_MESSAGE);
        AgentInvoker conductor = bus.conductorAgentInvoker();
        Await.until(
                "joined",
                () -> {
                    conductor.invoke();
                    return subscription.imageCount() == 1 && publication.isConnected();
                });
        thread = Thread.ofPlatform().name("honest").start(() -> run(conductor));
    }

    private void run(AgentInvoker conductor) {
        try {
            for (long turn = 0; !isStopped; turn++) {
                if (turn % TURNS == 0) {
                    conductor.invoke();
                }
                if (publication.offer(messages.buffer(), 0, messages.length()) > 0) {
                    messages.onSent();
                }
                int count =
                        subscription.poll(
                                (buffer, offset, length, header) ->
                                        messages.onMessage(buffer, offset, length),
                                10);
                received = messages.received();
                if (count == 0) {
                    Thread.yield();
                }
                if (bus.isClosed()) {
                    throw new AssertionError("the honest client has lost its driver");
                }
            }
        } catch (Throwable e) {
            failure = e;
        }
    }

    /** Throws the failure, if any; waits until another message has arrived. */
    public void awaitProgress() {
        long before = received;
        Await.until(
                () -> "a message after " + before + " of the honest client",
                20,
                () -> failure != null || received > before);
        if (failure != null) {
            throw new AssertionError("the honest client failed after " + before, failure);
        }
    }

    /** Messages received so far. */
    long received() {
        return received;
    }

    @Override
    public void close() {
        isStopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        bus.close();
    }
}
