// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.logbuffer.BufferClaim;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;

/** A client process: publishes numbers, or claims and stops, or subscribes, until it is killed. */
public final class ChildClient {
    private static final long CONDUCTOR_INTERVAL_NS = 50_000_000;

    private ChildClient() {}

    /** Arguments: directory, action, stream id. */
    public static void main(String[] args) {
        BusContext context =
                new BusContext().directoryName(args[0]).keepAliveInterval(Duration.ofMillis(50));
        if (args[1].equals("subscribe")) {
            context.useConductorAgentInvoker(true);
        }
        Bus bus = Bus.connect(context);
        int streamId = Integer.parseInt(args[2]);
        switch (args[1]) {
            case "publish" -> publish(bus.addPublication("verbus:ipc", streamId));
            case "publish-exclusively" ->
                    publish(bus.addExclusivePublication("verbus:ipc", streamId));
            case "claim" -> claim(bus.addPublication("verbus:ipc", streamId));
            case "subscribe" -> subscribe(bus, bus.addSubscription("verbus:ipc", streamId));
            default -> throw new IllegalArgumentException(args[1]);
        }
    }

    private static void publish(Publication publication) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
        for (long value = 0; ; value++) {
            message.putLong(0, value);
            while (publication.offer(message) < 0) {
                Thread.yield();
            }
            if (value == 100) {
                System.out.println("published");
            }
        }
    }

    private static void claim(Publication publication) {
        BufferClaim claim = new BufferClaim();
        while (publication.tryClaim(64, claim) < 0) {
            Thread.yield();
        }
        claim.buffer().putLong(claim.offset(), 42);
        System.out.println("claimed");
        hang();
    }

    /** Polls far more often than its conductor runs: after a stop it polls first. */
    private static void subscribe(Bus bus, Subscription subscription) {
        boolean isTold = false;
        long dueNs = System.nanoTime();
        while (true) {
            int count = subscription.poll((buffer, offset, length, header) -> {}, 10);
            if (count > 0 && !isTold) {
                System.out.println("received");
                isTold = true;
            }
            Thread.yield();
            if (System.nanoTime() - dueNs >= 0) {
                subscription.poll((buffer, offset, length, header) -> {}, 10);
                bus.conductorAgentInvoker().invoke();
                dueNs = System.nanoTime() + CONDUCTOR_INTERVAL_NS;
            }
        }
    }

    private static void hang() {
        while (true) {
            java.util.concurrent.locks.LockSupport.park();
        }
    }
}
