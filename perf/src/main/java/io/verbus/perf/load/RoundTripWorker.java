// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

import java.util.concurrent.atomic.AtomicReference;

/** Runs one process of a round-trip measurement. */
final class RoundTripWorker {
    private final Work work;
    private final WorkerProtocol protocol;
    private final Stack stack;
    private boolean hasBegun;

    RoundTripWorker(Work work, WorkerProtocol protocol, Stack stack) {
        this.work = work;
        this.protocol = protocol;
        this.stack = stack;
    }

    void run(Role role) {
        switch (role) {
            case INITIATOR -> initiate();
            case REFLECTOR -> {
                Reflector reflector = stack.reflector();
                protocol.say(Worker.READY, "");
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
            protocol.stop();
            WorkerProtocol.join(thread);
        }
    }

    private void initiate() {
        CpuBinding.bind(work.cpu(0));
        IdleStrategy idle = work.idle().strategy();
        RoundTrips trips = new RoundTrips(SystemNanoClock.INSTANCE, idle, stack::initiator);
        protocol.atEnd(trips::stop);
        if (!trips.awaitConnected(Stack.CONNECT_TIMEOUT_NS)) {
            throw Stack.unconnected(stack);
        }
        protocol.say(Worker.READY, "");
        Thread progress = protocol.showProgress(trips::completed);
        while (protocol.isRunning()) {
            long count = protocol.nextRun();
            if (count == 0) {
                trips.idle();
                protocol.pause();
            } else {
                protocol.active(true);
                Measurement measurement = measure(trips, count);
                protocol.active(false);
                trips.stalls().tell(protocol);
                protocol.say(Worker.RESULT, measurement.encode());
            }
        }
        progress.interrupt();
        WorkerProtocol.join(progress);
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
        protocol.say(Worker.FIRST, Long.toString(System.nanoTime()));
        return first.plus(trips.oneAtATime(count - 1));
    }

    private long reflect(Reflector reflector) {
        CpuBinding.bind(work.cpu(1));
        IdleStrategy idle = work.idle().strategy();
        long total = 0;
        while (protocol.isRunning()) {
            int count = reflector.poll();
            total += count;
            if (protocol.isActive()) {
                idle.idle(count);
            } else {
                protocol.pause();
            }
        }
        return total;
    }
}
