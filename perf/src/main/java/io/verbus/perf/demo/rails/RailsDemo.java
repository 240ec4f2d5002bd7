// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.rails;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.metrics.CounterKeys;
import io.verbus.driver.metrics.ReadCounters;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoProgram;
import io.verbus.perf.demo.DemoTransport;
import io.verbus.perf.demo.DriverErrors;
import io.verbus.perf.process.ChildEvent;
import io.verbus.perf.process.ChildProcesses;
import io.verbus.perf.process.JavaProgram;

import org.agrona.IoUtil;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * One run of the demo: two driver processes, and publisher and subscriber in this process. Each
 * rail in turn fails and returns.
 */
final class RailsDemo implements AutoCloseable {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final int STREAM = 1001;

    /** Time for which to measure before a fault, and duration of the fault. */
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(4);

    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final DemoNetwork network;
    private final List<Rail> rails;
    private final int rate;
    private final long limitNs;
    private final PrintStream progress;
    private final long startNs = System.nanoTime();
    private final List<Path> drivers =
            Stream.of("1", "2")
                    .map(
                            each ->
                                    SHARED_MEMORY.resolve(
                                            "verbus-demo-"
                                                    + ProcessHandle.current().pid()
                                                    + "-"
                                                    + each))
                    .toList();
    private final ChildProcesses children =
            new ChildProcesses(() -> drivers.forEach(each -> IoUtil.delete(each.toFile(), true)));

    /**
     * @param network network with the addresses of both rails.
     * @param rate messages per second.
     * @param limitNs time limit of the run in nanoseconds.
     * @param progress stream for progress messages.
     */
    RailsDemo(DemoNetwork network, int rate, long limitNs, PrintStream progress) {
        this.network = network;
        this.rate = rate;
        this.limitNs = limitNs;
        this.progress = progress;
        rails = Rail.over(network);
    }

    /**
     * Runs the demo.
     *
     * @return the last line of the output.
     * @throws DemoException if anything goes wrong.
     */
    String run() throws DemoException, InterruptedException {
        for (Rail rail : rails) {
            progress.printf(
                    "demo: rail %d uses %s from %s to %s%n",
                    rail.number(), network.transport(), rail.from(), rail.to());
        }
        for (int i = 0; i < drivers.size(); i++) {
            children.start(
                    "driver " + (i + 1),
                    JavaProgram.own(DemoProgram.DRIVER),
                    driverArguments(drivers.get(i)));
        }
        await("the drivers to start", () -> drivers.stream().allMatch(RailsDemo::isRunning));
        try (Bus a = connect(drivers.getFirst());
                Bus b = connect(drivers.getLast());
                Subscription in =
                        b.addSubscription(
                                "verbus:" + network.transport() + "?control-mode=manual", STREAM);
                Publication out =
                        a.addPublication(
                                "verbus:" + network.transport() + "?control-mode=manual|fc=max",
                                STREAM)) {
            rails.forEach(rail -> in.addDestination(rail.received()));
            rails.forEach(rail -> out.addDestination(rail.sent()));
            await(
                    "both rails to connect",
                    () ->
                            out.isConnected()
                                    && in.imageCount() == 1
                                    && in.imageAtIndex(0).activeTransportCount() == rails.size());
            return run(out, in);
        } catch (DemoException e) {
            for (int i = 0; i < drivers.size(); i++) {
                DriverErrors.print("driver " + (i + 1), drivers.get(i), progress);
            }
            throw e;
        }
    }

    private List<String> driverArguments(Path directory) {
        List<String> arguments = new ArrayList<>(List.of(directory.toString()));
        if (network.transport() == DemoTransport.RDMA) {
            arguments.add("rdma.allow=" + String.join(",", network.addresses()));
            arguments.add("rdma.ack-timeout=250ms");
            arguments.add("rdma.probe-timeout=3s");
            arguments.add("rdma.resume-timeout=60s");
        }
        return arguments;
    }

    private static boolean isRunning(Path directory) {
        return directory.resolve(CncFile.NAME).toFile().length() > 0;
    }

    private Bus connect(Path directory) {
        return Bus.connect(
                new BusContext()
                        .directoryName(directory)
                        .driverTimeout(Duration.ofSeconds(30))
                        .errorHandler(error -> progress.println("demo: " + error.getMessage())));
    }

    private String run(Publication out, Subscription in)
            throws DemoException, InterruptedException {
        RailsFeed feed = new RailsFeed(out, in, rate);
        feed.run(STEP_NS / 4);
        long both = feed.run(STEP_NS);
        progress.println("demo: " + rate + " messages per second are sent over both rails");
        progress.println("demo: longest time without a message " + millis(both) + " ms");
        long longest = 0;
        for (Rail rail : rails) {
            boolean isCut = rail.canBeCut();
            String fault = isCut ? "the wire of rail %d is cut" : "rail %d is switched off";
            progress.println("demo: " + fault.formatted(rail.number()));
            fail(rail, out);
            long gap = feed.run(STEP_NS);
            longest = Math.max(longest, gap);
            progress.println("demo: longest time without a message " + millis(gap) + " ms");
            restore(rail, out);
            long position = out.position();
            await(
                    "rail " + rail.number() + " to be used again",
                    () -> {
                        feed.run(TURN_NS);
                        return position(rail) > position;
                    });
            progress.println("demo: rail " + rail.number() + " is used again");
        }
        feed.drain(STEP_NS);
        if (feed.lost() > 0 || feed.duplicated() > 0) {
            throw new DemoException(
                    feed.lost()
                            + " of "
                            + feed.sent()
                            + " messages were lost, and "
                            + feed.duplicated()
                            + " duplicated: this is a defect; please report it with the output"
                            + " above");
        }
        return "demo ok: rails transport="
                + network.transport()
                + " messages="
                + feed.sent()
                + " lost=0 duplicated=0 longest_gap_ms="
                + millis(both)
                + " with_one_rail_ms="
                + millis(longest);
    }

    private void fail(Rail rail, Publication out) throws DemoException, InterruptedException {
        if (rail.canBeCut()) {
            wire("cut", Integer.toString(rail.end()));
        } else {
            out.removeDestination(rail.sent());
        }
    }

    private void restore(Rail rail, Publication out) throws DemoException, InterruptedException {
        if (rail.canBeCut()) {
            wire("restore");
        } else {
            out.addDestination(rail.sent());
        }
    }

    /** Runs the lab's command that injects faults. */
    private static void wire(String... words) throws DemoException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("wire"));
        command.addAll(List.of(words));
        try {
            int status = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (status != 0) {
                throw new DemoException(
                        String.join(" ", command)
                                + " ended with status "
                                + status
                                + ": see its output above");
            }
        } catch (IOException e) {
            throw new DemoException(
                    "cannot run wire (" + e.getMessage() + "): run the demo in `verbus lab`", e);
        }
    }

    /** Returns the position up to which a rail has delivered the stream. */
    private long position(Rail rail) {
        long[] position = {-1};
        try (CncFile cnc = CncFile.map(drivers.getLast().resolve(CncFile.NAME))) {
            ReadCounters counters = new ReadCounters(cnc);
            counters.forEach(
                    (id, type, key) -> {
                        if (type == CounterTypes.SOURCE_POSITION
                                && CounterKeys.streamText(key).equals(rail.endpoint())) {
                            long value = counters.values().getCounterValue(id);
                            position[0] = Math.max(position[0], value);
                        }
                    });
        }
        return position[0];
    }

    private void await(String what, BooleanSupplier condition) throws DemoException {
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > limitNs) {
                throw new DemoException(
                        "the demo reached its time limit while waiting for "
                                + what
                                + ": try a"
                                + " longer --timeout");
            }
            checkDrivers();
            LockSupport.parkNanos(TURN_NS / 10);
        }
    }

    private void checkDrivers() throws DemoException {
        ChildEvent event;
        while ((event = children.events().poll()) != null) {
            switch (event) {
                case ChildEvent.Said said ->
                        progress.println(said.child().name() + ": " + said.line());
                case ChildEvent.Ended ended ->
                        throw new DemoException(
                                "the "
                                        + ended.child().name()
                                        + " process ended early with status "
                                        + ended.status()
                                        + ": see its output above");
            }
        }
    }

    private static String millis(long ns) {
        return String.format(Locale.ROOT, "%.1f", ns / 1e6);
    }

    @Override
    public void close() {
        children.close();
    }
}
