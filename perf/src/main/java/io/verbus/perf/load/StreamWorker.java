// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

import org.agrona.concurrent.IdleStrategy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs one process of a stream measurement: its sending threads, which are started for each run;
 * its receiving thread, which is also the thread that takes commands; or both.
 */
final class StreamWorker {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Work work;
    private final WorkerProtocol protocol;
    private final Stack stack;
    private final List<Sending> sendings = new ArrayList<>();
    private Receiving receiving;

    StreamWorker(Work work, WorkerProtocol protocol, Stack stack) {
        this.work = work;
        this.protocol = protocol;
        this.stack = stack;
    }

    void run(Role role) {
        boolean sends = role != Role.REFLECTOR;
        boolean receives = role != Role.INITIATOR;
        if (receives) {
            CpuBinding.bind(work.cpu(1));
            receiving = new Receiving(work, protocol, stack);
        }
        if (sends) {
            for (Source source : stack.sources()) {
                sendings.add(new Sending(work, protocol, source, sendings.size()));
            }
            awaitConnected();
        }
        protocol.say(Worker.READY, "");
        Thread progress = protocol.showProgress(this::completed);
        while (protocol.isRunning()) {
            long count = protocol.nextRun();
            if (count == 0) {
                pollOnce();
                protocol.pause();
            } else {
                protocol.active(true);
                StreamPart part = measure(count);
                protocol.active(false);
                protocol.say(Worker.RESULT, part.encode());
            }
        }
        progress.interrupt();
        WorkerProtocol.join(progress);
    }

    private void awaitConnected() {
        long deadline = System.nanoTime() + Stack.CONNECT_TIMEOUT_NS;
        while (!sendings.stream().allMatch(Sending::isConnected)) {
            pollOnce();
            if (System.nanoTime() - deadline > 0) {
                throw Stack.unconnected(stack);
            }
            protocol.pause();
        }
    }

    private void pollOnce() {
        sendings.forEach(Sending::poll);
        if (receiving != null) {
            receiving.poll();
        }
    }

    private long completed() {
        return receiving == null ? sendings.getFirst().sent() : receiving.received();
    }

    private StreamPart measure(long count) {
        long cpu = PROCESS.getProcessCpuTime();
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        long bytes = receiving == null ? 0 : receiving.bytes();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = start(count, failure);
        long endNs = 0;
        if (receiving != null) {
            receiving.await(count * sendings(), failure);
            endNs = System.nanoTime();
            allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
            bytes = receiving.bytes() - bytes;
            protocol.active(false);
        }
        threads.forEach(WorkerProtocol::join);
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get().getMessage(), failure.get());
        }
        return new StreamPart(
                sendings.stream().mapToLong(Sending::startNs).min().orElse(0),
                endNs,
                receiving == null ? 0 : count * sendings(),
                bytes,
                sendings.stream().mapToLong(Sending::allocated).sum(),
                receiving == null ? 0 : allocated,
                PROCESS.getProcessCpuTime() - cpu);
    }

    /** Returns the number of publishers; each publisher sends as many messages as the run has. */
    private int sendings() {
        return work.load().publishers();
    }

    private List<Thread> start(long count, AtomicReference<Throwable> failure) {
        List<Thread> threads = new ArrayList<>();
        for (Sending sending : sendings) {
            threads.add(
                    Thread.ofPlatform()
                            .name("publisher")
                            .uncaughtExceptionHandler((t, ex) -> failure.compareAndSet(null, ex))
                            .start(() -> sending.send(count)));
        }
        return threads;
    }

    /** A publisher and its sending thread. */
    private static final class Sending {
        private final Work work;
        private final WorkerProtocol protocol;
        private final Source source;
        private final int number;
        private long next;
        private long startNs;
        private long allocated;

        Sending(Work work, WorkerProtocol protocol, Source source, int number) {
            this.work = work;
            this.protocol = protocol;
            this.source = source;
            this.number = number;
            next = Arrivals.tag(number, 0);
        }

        boolean isConnected() {
            return source.isConnected();
        }

        void poll() {
            source.poll();
        }

        long sent() {
            return next - Arrivals.tag(number, 0);
        }

        /**
         * Returns the time at which the publisher began to send, after its thread was started and
         * bound.
         */
        long startNs() {
            return startNs;
        }

        long allocated() {
            return allocated;
        }

        /** Sends messages, then invokes the bus until all messages have arrived. */
        void send(long count) {
            CpuBinding.bind(work.cpu(number == 0 ? 0 : number + 1));
            IdleStrategy idle = work.idle().strategy();
            long before = THREADS.getCurrentThreadAllocatedBytes();
            startNs = System.nanoTime();
            long end = next + count;
            while (next != end) {
                next = sendBurst(next, Math.min(end, next + work.load().burst()), idle);
                source.poll();
                protocol.checkRunning();
            }
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            while (protocol.isActive() && protocol.isRunning()) {
                idle.idle(source.poll());
            }
        }

        private long sendBurst(long first, long end, IdleStrategy idle) {
            for (long tag = first; tag != end; tag++) {
                while (!source.send(tag)) {
                    protocol.checkRunning();
                    idle.idle(source.poll());
                }
            }
            return end;
        }
    }

    /** The receiving side of the stream. */
    private static final class Receiving {
        private static final int POLLS_PER_CLOCK_READ = 1024;

        private final WorkerProtocol protocol;
        private final IdleStrategy idle;
        private final Arrivals[] arrivals;
        private final Sink sink;
        private long target;

        Receiving(Work work, WorkerProtocol protocol, Stack stack) {
            this.protocol = protocol;
            idle = work.idle().strategy();
            arrivals = new Arrivals[work.load().subscribers()];
            for (int i = 0; i < arrivals.length; i++) {
                arrivals[i] = new Arrivals(work.load().publishers());
            }
            sink = stack.sink(arrivals);
        }

        void poll() {
            sink.poll();
        }

        long received() {
            return arrivals[0].shown();
        }

        long bytes() {
            return arrivals[0].bytes();
        }

        /** Receives until every subscription has received {@code count} more messages. */
        void await(long count, AtomicReference<Throwable> failure) {
            target += count;
            int idlePolls = 0;
            long lastProgress = System.nanoTime();
            while (!isThere()) {
                int received = sink.poll();
                if (received > 0) {
                    idlePolls = 0;
                    idle.reset();
                    continue;
                }
                if (idlePolls == 0) {
                    lastProgress = System.nanoTime();
                }
                if (++idlePolls % POLLS_PER_CLOCK_READ == 0) {
                    protocol.checkRunning();
                    check(lastProgress, failure);
                }
                idle.idle();
            }
        }

        private boolean isThere() {
            for (Arrivals arrival : arrivals) {
                if (arrival.count() < target) {
                    return false;
                }
            }
            return true;
        }

        private void check(long lastProgress, AtomicReference<Throwable> failure) {
            if (failure.get() != null) {
                throw new IllegalStateException(failure.get().getMessage(), failure.get());
            }
            if (System.nanoTime() - lastProgress > Stack.SILENCE_TIMEOUT_NS) {
                throw new IllegalStateException(
                        "message "
                                + arrivals[0].count()
                                + " did not arrive; check the output of the other end");
            }
        }
    }
}
