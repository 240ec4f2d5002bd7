// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.cnc.DriverPulse;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.agent.CycleTime;
import io.verbus.driver.agent.Draining;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.background.Background;
import io.verbus.driver.client.Clients;
import io.verbus.driver.command.CommandReader;
import io.verbus.driver.command.CommandTurns;
import io.verbus.driver.command.EventTransmitter;
import io.verbus.driver.command.WaitingCommands;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.image.Images;
import io.verbus.driver.image.MergedImages;
import io.verbus.driver.publication.Publications;
import io.verbus.driver.status.LogFaults;
import io.verbus.driver.transports.Transports;
import io.verbus.transport.Transport;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.concurrent.TimeUnit;

/**
 * The conductor: executes client commands, updates limits, ends streams, services the transports,
 * and runs timers. An exception in one of these parts is recorded and does not stop the other
 * parts.
 *
 * <p>The conductor never blocks. {@link Background} does slow work, and each duty cycle handles a
 * bounded number of entries from each queue.
 */
final class Conductor implements Agent {
    private static final long TIMER_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Interval for updating monitoring-only positions. */
    private static final long COUNT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int COMMANDS_PER_CYCLE = 10;
    private static final int DONE_PER_CYCLE = 10;

    private final DriverParts parts;
    private final LogFaults faults;
    private final LogFaults.Streams truncated = this::endTruncated;
    private final DriverClock clock;
    private final RingBuffer commands;
    private final CommandReader reader;
    private final CommandTurns turns;
    private final EventTransmitter events;
    private final Background background;
    private final WaitingCommands waiting;
    private final Clients clients;
    private final Publications publications;
    private final Images images;
    private final MergedImages merged;
    private final Transports transports;
    private final LogFiles files;
    private final ErrorHandler errors;
    private final AtomicCounter heartbeat;
    private final AtomicCounter commandsUnblocked;
    private final Draining draining;
    private final CycleTime cycleTime;
    private long nextTimerNs;
    private long nextCountNs;
    private long commandPosition;
    private long commandPositionNs;

    /**
     * Position in the command buffer; all commands before it were sent no later than {@link
     * #sentNs}.
     */
    private long sentPosition;

    private long sentNs;

    /**
     * @param faults record of log faults, shared with the other agents.
     */
    Conductor(DriverParts parts, LogFaults faults, CycleTime cycleTime) {
        this.parts = parts;
        this.faults = faults;
        this.clock = parts.clock();
        this.commands = parts.commands();
        this.reader =
                new CommandReader(
                        commands,
                        parts.counters().system(SystemCounter.COMMANDS_MALFORMED),
                        parts.errors());
        this.turns = parts.turns();
        this.events = parts.events();
        this.background = parts.background();
        this.waiting = parts.waiting();
        this.clients = parts.clients();
        this.publications = parts.publications();
        this.images = parts.images();
        this.merged = parts.merged();
        this.transports = parts.transports();
        this.files = parts.files();
        this.errors = parts.errors();
        this.heartbeat = parts.counters().system(SystemCounter.HEARTBEAT);
        this.commandsUnblocked = parts.counters().system(SystemCounter.COMMANDS_UNBLOCKED);
        this.draining = new Draining(new Streams());
        this.cycleTime = cycleTime;
        this.nextTimerNs = clock.nanoTime();
        this.commandPositionNs = nextTimerNs; // clients may write before the first cycle
        this.nextCountNs = nextTimerNs;
        this.sentNs = nextTimerNs;
    }

    @Override
    public int doWork() {
        long nowNs = clock.update();
        int work = faults.mend(truncated);
        cycleTime.onCycle(nowNs);
        work += events.work(nowNs) + background.tell(DONE_PER_CYCLE);
        work += events.isOpen() ? waiting.run() : 0;
        work += readCommands();
        work += updateStreams(nowNs);
        work += conductTransports(nowNs);
        if (nowNs - nextTimerNs >= 0) {
            nextTimerNs = nowNs + TIMER_NS;
            work += onTimer(nowNs);
        }
        return work;
    }

    /**
     * Ends the streams whose logs were truncated: merged images before the sources that write their
     * logs, and logs of ended streams last.
     */
    private int endTruncated() {
        return publications.endTruncated()
                + merged.endTruncated()
                + images.endTruncated()
                + files.abandonTruncated();
    }

    private int readCommands() {
        try {
            return reader.read(turns, COMMANDS_PER_CYCLE) + turns.run(COMMANDS_PER_CYCLE);
        } catch (RuntimeException e) {
            errors.onError(e);
            return 1;
        }
    }

    private int updateStreams(long nowNs) {
        try {
            return publications.update(nowNs) + images.update(nowNs) + merged.update(nowNs);
        } catch (RuntimeException e) {
            errors.onError(e);
            return 0;
        }
    }

    private int conductTransports(long nowNs) {
        int work = 0;
        for (Transport transport : transports.open()) {
            try {
                work += transport.conduct(nowNs);
            } catch (RuntimeException e) {
                errors.onError(e);
            }
        }
        return work;
    }

    private int onTimer(long nowNs) {
        int work = 0;
        try {
            long nowMs = clock.updateEpoch();
            commands.consumerHeartbeatTime(nowMs);
            reader.restore();
            heartbeat.setRelease(nowMs);
            draining.work(nowNs);
            work += transports.watch(nowNs);
            publications.watch(nowNs);
            images.watch(nowNs);
            merged.watch(nowNs);
            if (nowNs - nextCountNs >= 0) {
                nextCountNs = nowNs + COUNT_NS;
                publications.count();
                images.count();
                merged.count();
            }
            if (reader.position() - sentPosition >= 0) {
                work += clients.checkLiveness(sentNs);
                sentPosition = reader.claimed();
                sentNs = nowNs;
            }
            work += unblockCommands(nowNs);
            work += files.free(nowNs);
        } catch (RuntimeException e) {
            errors.onError(e);
        }
        return work;
    }

    /**
     * Skips the incomplete command of a client that died while writing it. A client that is only
     * suspended could resume and overwrite a later command, so the driver waits for the liveness
     * timeout. Until then no client times out, because signs of life may be queued behind the
     * incomplete command. A client that resumes after the timeout may corrupt a command.
     */
    private int unblockCommands(long nowNs) {
        long position = reader.position();
        if (position != commandPosition || !reader.hasMore()) {
            commandPosition = position;
            commandPositionNs = nowNs;
        } else if (nowNs - commandPositionNs > clients.livenessTimeoutNs() && reader.unblock()) {
            commandsUnblocked.incrementRelease();
            return 1;
        }
        return 0;
    }

    /** Gives access to the streams that must be drained before the driver closes. */
    private final class Streams implements Draining.Streams {
        @Override
        public void stopImages() {
            images.stopAll();
        }

        @Override
        public void holdPublications() {
            publications.hold();
        }

        @Override
        public void endPublications(long nowNs) {
            publications.endAll(nowNs);
        }

        @Override
        public int unfinished() {
            return publications.unfinished() + images.unfinished();
        }
    }

    /** Returns the work to be done before an orderly close. */
    Draining draining() {
        return draining;
    }

    /** Closes the conductor's resources. The sender and the receiver have already stopped. */
    @Override
    public void onClose() {
        events.flush();
        commands.consumerHeartbeatTime(DriverPulse.CLOSED_HEARTBEAT);
        parts.close();
    }

    @Override
    public String roleName() {
        return "conductor";
    }
}
