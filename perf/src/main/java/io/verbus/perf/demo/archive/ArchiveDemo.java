// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.archive;

import io.verbus.codecs.marketdata.QuoteEncoder;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoProgram;
import io.verbus.perf.demo.DemoResult;
import io.verbus.perf.demo.DriverErrors;
import io.verbus.perf.process.AeronJars;
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
import java.util.concurrent.TimeUnit;

/**
 * One run of the archive demo: two drivers, the archive, the publisher and the late subscriber,
 * each in its own process.
 *
 * <pre>
 *   the archive records             →  the publisher sends the first messages
 *   all of these are recorded       →  the subscriber starts, the publisher continues at a rate
 *   the subscriber reads live data  →  after some more, the publisher ends the stream
 *   the stream has ended            →  archive and subscriber report what they have verified
 * </pre>
 */
final class ArchiveDemo implements AutoCloseable {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    /** Number of seconds for which to send live messages after the subscriber has caught up. */
    private static final int LIVE_S = 5;

    private final DemoNetwork network;
    private final ArchivePlan plan;
    private final long limitNs;
    private final PrintStream progress;
    private final String name = "verbus-demo-" + ProcessHandle.current().pid() + "-";
    private final List<Path> drivers =
            List.of(SHARED_MEMORY.resolve(name + 1), SHARED_MEMORY.resolve(name + 2));
    private final Path recordings =
            Path.of(System.getProperty("java.io.tmpdir")).resolve(name + "archive");
    private final ChildProcesses children = new ChildProcesses(this::deleteFolders);

    private ChildProcess archive;
    private ChildProcess publisher;
    private ChildProcess subscriber;
    private String sessionId;
    private long sentPosition = Long.MAX_VALUE;
    private long recordedPosition;
    private long published = -1;
    private long endPosition = -1;
    private long replayed = -1;
    private long enough = Long.MAX_VALUE;
    private DemoResult recorded;
    private DemoResult received;

    /**
     * @param network network that carries all channels.
     * @param plan messages to send.
     * @param limitNs time limit of the run in nanoseconds.
     * @param progress stream for progress messages.
     */
    ArchiveDemo(DemoNetwork network, ArchivePlan plan, long limitNs, PrintStream progress) {
        this.network = network;
        this.plan = plan;
        this.limitNs = limitNs;
        this.progress = progress;
    }

    /**
     * Runs the demo.
     *
     * @return the last line of the output.
     * @throws DemoException if anything goes wrong.
     */
    String run() throws DemoException, InterruptedException {
        try {
            start();
            supervise();
            return check();
        } catch (DemoException e) {
            for (int i = 0; i < drivers.size(); i++) {
                DriverErrors.print("driver " + (i + 1), drivers.get(i), progress);
            }
            throw e;
        }
    }

    private void start() throws DemoException {
        progress.println("demo: starting the processes");
        for (int i = 0; i < drivers.size(); i++) {
            List<String> arguments = new ArrayList<>(List.of(drivers.get(i).toString()));
            arguments.addAll(network.driverOptions(network.address(i)));
            children.start("driver " + (i + 1), JavaProgram.own(DemoProgram.DRIVER), arguments);
        }
        String far = drivers.getFirst().toString();
        String near = drivers.getLast().toString();
        archive = start("archive", ArchiveProgram.ARCHIVE, near, recordings.toString());
        publisher = start("publisher", ArchiveProgram.LIVE_PUBLISHER, far);
    }

    /**
     * Starts a process whose class path contains Aeron and the demo, but neither Verbus' driver nor
     * its client.
     */
    private ChildProcess start(String process, ArchiveProgram program, String... first) {
        List<String> arguments = new ArrayList<>(List.of(first));
        arguments.addAll(plan.words());
        String classPath = AeronJars.classPath(ArchiveDemo.class, QuoteEncoder.class);
        return children.start(process, JavaProgram.other(program, classPath), arguments);
    }

    private void supervise() throws DemoException, InterruptedException {
        long start = System.nanoTime();
        while (recorded == null || received == null || published < 0) {
            ChildEvent event = children.events().poll(1, TimeUnit.SECONDS);
            if (event != null) {
                on(event);
            }
            if (System.nanoTime() - start > limitNs) {
                throw new DemoException(
                        "the demo did not end within "
                                + TimeUnit.NANOSECONDS.toSeconds(limitNs)
                                + " s: try fewer --messages or a longer --timeout");
            }
        }
    }

    private void on(ChildEvent event) throws DemoException {
        switch (event) {
            case ChildEvent.Said(ChildProcess child, String line) when child == archive ->
                    onArchive(line);
            case ChildEvent.Said(ChildProcess child, String line) when child == publisher ->
                    onPublisher(line);
            case ChildEvent.Said(ChildProcess child, String line) when child == subscriber ->
                    onSubscriber(line);
            case ChildEvent.Said(ChildProcess child, String line) ->
                    progress.println(child.name() + ": " + line);
            case ChildEvent.Ended(ChildProcess child, int status) -> {
                boolean isDone =
                        child == publisher && published >= 0
                                || child == subscriber && received != null;
                if (status != 0 || !isDone) {
                    throw new DemoException(
                            "the "
                                    + child.name()
                                    + " process ended early with status "
                                    + status
                                    + ": see its output above");
                }
            }
        }
    }

    private void onArchive(String line) throws DemoException {
        if (line.equals(ArchiveProcess.RECORDING)) {
            progress.println("demo: the archive is waiting for the stream");
            publisher.go();
        } else if (line.startsWith(ArchiveProcess.RECORDED)) {
            recordedPosition = number(line, ArchiveProcess.RECORDED);
            startSubscriber();
        } else if (DemoResult.isLine(line)) {
            recorded = DemoResult.parse(line);
        } else {
            progress.println("archive: " + line);
        }
    }

    private void onPublisher(String line) throws DemoException {
        if (line.startsWith(LivePublisher.SENT)) {
            String[] words = line.split(" ");
            sessionId = words[1];
            sentPosition = Long.parseLong(words[3]);
            startSubscriber();
        } else if (line.startsWith(LivePublisher.ENDED)) {
            String[] words = line.split(" ");
            published = Long.parseLong(words[1]);
            endPosition = Long.parseLong(words[2]);
        } else {
            progress.println("publisher: " + line);
        }
    }

    private void startSubscriber() throws DemoException {
        if (subscriber == null && recordedPosition >= sentPosition) {
            progress.println(
                    String.format(
                            Locale.ROOT,
                            "demo: %,d messages, %,d bytes, are recorded; starting the late"
                                    + " subscriber",
                            plan.messages(),
                            recordedPosition));
            publisher.go();
            String near = drivers.getLast().toString();
            subscriber = start("subscriber", ArchiveProgram.LATE_SUBSCRIBER, near, sessionId);
        }
    }

    private void onSubscriber(String line) {
        if (line.startsWith(LateSubscriber.VERIFIED)) {
            long verified = number(line, LateSubscriber.VERIFIED);
            progress.println(
                    String.format(
                            Locale.ROOT,
                            "demo: %,d messages verified%s",
                            verified,
                            replayed < 0 ? ", from the replay" : ", live"));
            if (verified >= enough) {
                enough = Long.MAX_VALUE;
                publisher.go();
            }
        } else if (line.startsWith(LateSubscriber.MERGED)) {
            replayed = number(line, LateSubscriber.MERGED);
            enough = replayed + (long) plan.rate() * LIVE_S;
        } else if (DemoResult.isLine(line)) {
            received = DemoResult.parse(line);
        } else {
            progress.println("subscriber: " + line);
        }
    }

    private static long number(String line, String word) {
        return Long.parseLong(line.substring(word.length()));
    }

    private String check() throws DemoException {
        check("the recording", recorded);
        check("the subscriber", received);
        if (recordedPosition != endPosition) {
            throw new DemoException(
                    "the recording ends at position "
                            + recordedPosition
                            + ", but the stream at "
                            + endPosition
                            + ": see the output of the archive");
        }
        return String.format(
                Locale.ROOT,
                "demo ok: archive transport=%s device=%s recorded=%d replayed=%d merged=%d lost=0"
                        + " duplicated=0",
                network.transport(),
                network.device(),
                recorded.verified(),
                replayed,
                received.verified() - replayed);
    }

    private void check(String what, DemoResult result) throws DemoException {
        long lost = published - result.verified();
        if ((lost | result.duplicated() | result.reordered() | result.corrupt()) != 0) {
            throw new DemoException(
                    String.format(
                            Locale.ROOT,
                            "%2$s has %3$d of %1$d messages intact, lost=%4$d duplicated=%5$d"
                                    + " reordered=%6$d corrupt=%7$d: unless the output above"
                                    + " reports a lost connection, this is a defect; please"
                                    + " report it",
                            published,
                            what,
                            result.verified(),
                            lost,
                            result.duplicated(),
                            result.reordered(),
                            result.corrupt()));
        }
    }

    /** Ends all processes and deletes their files. */
    @Override
    public void close() {
        children.close();
    }

    private void deleteFolders() {
        drivers.forEach(directory -> IoUtil.delete(directory.toFile(), true));
        IoUtil.delete(recordings.toFile(), true);
    }
}
