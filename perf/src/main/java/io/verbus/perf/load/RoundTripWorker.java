// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

import java.util.concurrent.atomic.AtomicReference;

/** Runs one process of a round-trip measurement. */
final class RoundTripWorker {
    private final Work work;
    private final Orders orders;
    private final Stack stack;
    private boolean hasBegun;

    RoundTripWorker(Work work, Orders orders, Stack stack) {
        this.work = work;
        this.orders = orders;
        this.stack = stack;
    }

    void run(Role role) {
        switch (role) {
            case INITIATOR -> initiate();
            case REFLECTOR -> {
                Reflector reflector = stack.reflector();
                orders.say(Worker.READY, "");
                if (reflect(reflector) == 0 && !stack.trouble().isEmpty()) {
                    System.err.println(stack.trouble());
                }
            }
            case BOTH -> runBoth();
        }
    }

    private void runBoth() {
        Reflector reflector = stack.reflector();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread =
                Thread.ofPlatform()
                        .name("reflector")
                        .uncaughtExceptionHandler((t, ex) -> failure.set(ex))
                        .start(() -> reflect(reflector));
        try {
            initiate();
        } catch (IllegalStateException ex) {
            if (failure.get() != null) {
                ex.addSuppressed(failure.get());
            }
            throw ex;
        } finally {
            orders.stop();
            Orders.join(thread);
        }
    }

    private void initiate() {
        CpuBinding.bind(work.cpu(0));
        IdleStrategy idle = work.idle().strategy();
        RoundTrips trips = new RoundTrips(SystemNanoClock.INSTANCE, idle, stack::initiator);
        orders.atEnd(trips::stop);
        if (!trips.awaitConnected(Stack.CONNECT_TIMEOUT_NS)) {
            throw Stack.unconnected(stack);
        }
        orders.say(Worker.READY, "");
        Thread progress = orders.showProgress(trips::completed);
        while (orders.isRunning()) {
            long count = orders.nextRun();
            if (count == 0) {
                trips.idle();
                orders.pause();
            } else {
                orders.active(true);
                Measurement measurement = measure(trips, count);
                orders.active(false);
                trips.stalls().tell(orders);
                orders.say(Worker.RESULT, measurement.encode());
            }
        }
        progress.interrupt();
        Orders.join(progress);
    }

    private Measurement measure(RoundTrips trips, long count) {
        Load load = work.load();
        if (load.rate() != Load.MAX) {
            return trips.atRate(count, load.rate(), load.burst());
        }
        if (hasBegun || count == 1) {
            return trips.oneAtATime(count);
        }
        hasBegun = true;
        Measurement first = trips.oneAtATime(1);
        orders.say(Worker.FIRST, Long.toString(System.nanoTime()));
        return first.plus(trips.oneAtATime(count - 1));
    }

    private long reflect(Reflector reflector) {
        CpuBinding.bind(work.cpu(1));
        IdleStrategy idle = work.idle().strategy();
        long total = 0;
        while (orders.isRunning()) {
            int count = reflector.poll();
            total += count;
            if (orders.isActive()) {
                idle.idle(count);
            } else {
                orders.pause();
            }
        }
        return total;
    }
}
