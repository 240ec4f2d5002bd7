// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.perf.process.ChildEvent;
import io.verbus.perf.process.ChildProcess;
import io.verbus.perf.process.ChildProcesses;
import io.verbus.perf.process.JavaProgram;

import org.agrona.IoUtil;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * One run of the demo: starts the processes, shows their progress, and always ends them.
 *
 * <p>The publisher and the subscriber exit at the end of the stream; then the drivers are ended. An
 * earlier exit of any of them is a failure.
 */
final class Demo implements AutoCloseable {
    /** Time without a new message after which the run fails. */
    private static final long STALL_LIMIT_NS = TimeUnit.SECONDS.toNanos(90);

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final DemoClient client;
    private final DemoRoute route;
    private final DemoPlan plan;
    private final long limitNs;
    private final PrintStream progress;

    private final List<Path> directories = new CopyOnWriteArrayList<>();
    private final ChildProcesses children = new ChildProcesses(this::deleteDirectories);

    private ChildProcess publisher;
    private ChildProcess subscriber;
    private boolean hasPublisherEnded;
    private boolean hasSubscriberEnded;
    private boolean isSubscribed;
    private boolean isPaced;
    private long verified = -1;
    private long progressTimeNs;
    private DemoResult result;

    /**
     * @param client client library that publishes and subscribes.
     * @param route route of the messages, with channels of this client.
     * @param plan messages to send.
     * @param limitNs time limit of the run in nanoseconds.
     * @param progress stream for progress messages.
     */
    Demo(DemoClient client, DemoRoute route, DemoPlan plan, long limitNs, PrintStream progress) {
        this.client = client;
        this.route = route;
        this.plan = plan;
        this.limitNs = limitNs;
        this.progress = progress;
    }

    /**
     * Runs the demo.
     *
     * @return the subscriber's result, which contains no errors.
     * @throws DemoException if anything goes wrong.
     */
    DemoResult run() throws DemoException, InterruptedException {
        try {
            return supervise();
        } catch (DemoException e) {
            for (int i = 0; i < directories.size(); i++) {
                DriverErrors.print(driverName(i), directories.get(i), progress);
            }
            throw e;
        }
    }

    private DemoResult supervise() throws DemoException, InterruptedException {
        long start = System.nanoTime();
        progress.println("demo: starting the processes");
        start();
        while (!hasPublisherEnded || !hasSubscriberEnded) {
            ChildEvent event = children.events().poll(1, TimeUnit.SECONDS);
            if (event != null) {
                on(event);
            }
            long now = System.nanoTime();
            if (now - start > limitNs) {
                throw new DemoException(
                        "the demo did not end within "
                                + TimeUnit.NANOSECONDS.toSeconds(limitNs)
                                + " s: try fewer --messages or a longer --timeout");
            }
            if (isSubscribed && now - progressTimeNs > STALL_LIMIT_NS) {
                throw new DemoException(
                        "no message arrived for "
                                + TimeUnit.NANOSECONDS.toSeconds(STALL_LIMIT_NS)
                                + " s: "
                                + (route.transport() == DemoTransport.RDMA
                                        ? "check with ibv_rc_pingpong that the RDMA devices can"
                                                + " reach each other"
                                        : "check whether the machine is overloaded"));
            }
        }
        return check();
    }

    private void start() {
        String publisherDriver = startDriver();
        String subscriberDriver =
                route.transport() == DemoTransport.IPC ? publisherDriver : startDriver();
        subscriber = startClient(DemoProgram.SUBSCRIBER, subscriberDriver, route.subscription());
        publisher = startClient(DemoProgram.PUBLISHER, publisherDriver, route.publication());
    }

    private String startDriver() {
        int index = directories.size();
        Path directory =
                SHARED_MEMORY.resolve(
                        "verbus-demo-" + ProcessHandle.current().pid() + "-" + (index + 1));
        directories.add(directory);
        List<String> arguments = new ArrayList<>(List.of(directory.toString()));
        arguments.addAll(route.driverOptions());
        children.start(driverName(index), JavaProgram.own(DemoProgram.DRIVER), arguments);
        return directory.toString();
    }

    private static String driverName(int index) {
        return "driver " + (index + 1);
    }

    private ChildProcess startClient(DemoProgram program, String directory, String channel) {
        List<String> arguments = new ArrayList<>(List.of(client.name(), directory, channel));
        arguments.addAll(plan.words());
        String name = program.name().toLowerCase(Locale.ROOT);
        return children.start(name, client.process(program), arguments);
    }

    private void on(ChildEvent event) throws DemoException {
        switch (event) {
            case ChildEvent.Said(ChildProcess child, String line) when child == subscriber ->
                    onSubscriber(line);
            case ChildEvent.Said(ChildProcess child, String line) ->
                    progress.println(child.name() + ": " + line);
            case ChildEvent.Ended(ChildProcess child, int status) -> onEnded(child, status);
        }
    }

    private void onSubscriber(String line) {
        if (line.equals(SubscriberProcess.SUBSCRIBED)) {
            isSubscribed = true;
            progressTimeNs = System.nanoTime();
            publisher.go();
        } else if (DemoResult.isLine(line)) {
            result = DemoResult.parse(line);
        } else if (line.startsWith(SubscriberProcess.VERIFIED)) {
            onVerified(Long.parseLong(line.substring(SubscriberProcess.VERIFIED.length())));
        } else {
            progress.println("subscriber: " + line);
        }
    }

    private void onVerified(long count) {
        long now = System.nanoTime();
        if (count > verified) {
            progress.println(
                    String.format(
                            Locale.ROOT,
                            "demo: %,d of %,d messages verified%s",
                            count,
                            plan.messages(),
                            verified < 0 ? "" : rate(count - verified, now - progressTimeNs)));
            verified = count;
            progressTimeNs = now;
        }
        if (!isPaced && count >= plan.firstPaced()) {
            isPaced = true;
            progress.println(
                    String.format(
                            Locale.ROOT,
                            "demo: now sending %,d messages per second to measure their latency",
                            plan.rate()));
            publisher.go();
        }
    }

    private static String rate(long count, long elapsedNs) {
        return String.format(Locale.ROOT, ", %,.0f/s", count * 1e9 / Math.max(1, elapsedNs));
    }

    private void onEnded(ChildProcess child, int status) throws DemoException {
        if (status != 0 || (child != publisher && child != subscriber)) {
            throw new DemoException(
                    "the "
                            + child.name()
                            + " process ended early with status "
                            + status
                            + ": see its output above; `verbus demo --transport ipc` shows"
                            + " whether RDMA is the cause");
        }
        hasPublisherEnded |= child == publisher;
        hasSubscriberEnded |= child == subscriber;
        progressTimeNs = System.nanoTime();
    }

    private DemoResult check() throws DemoException {
        if (result == null) {
            throw new DemoException(
                    "the subscriber process exited without a result: run the demo" + " again");
        }
        if (!result.isPerfect() || result.verified() != plan.messages()) {
            throw new DemoException(
                    String.format(
                            Locale.ROOT,
                            "%2$d of %1$d messages arrived intact, lost=%3$d reordered=%4$d"
                                    + " duplicated=%5$d corrupt=%6$d: if the output above does"
                                    + " not report a lost connection, this is a defect; please"
                                    + " report it",
                            plan.messages(),
                            result.verified(),
                            result.lost(),
                            result.reordered(),
                            result.duplicated(),
                            result.corrupt()));
        }
        return result;
    }

    /** Ends all processes and deletes their files. */
    @Override
    public void close() {
        children.close();
    }

    private void deleteDirectories() {
        for (Path directory : directories) {
            IoUtil.delete(directory.toFile(), true);
        }
    }
}
