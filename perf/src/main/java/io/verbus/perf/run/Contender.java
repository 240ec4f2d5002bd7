// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static io.verbus.perf.load.Load.Kind.RECORDINGS;
import static io.verbus.perf.load.Load.Kind.ROUND_TRIPS;
import static io.verbus.perf.load.Load.Kind.STREAM;

import io.verbus.perf.aeron.AeronCDriver;
import io.verbus.perf.aeron.AeronStack;
import io.verbus.perf.aeron.ArchiveStack;
import io.verbus.perf.aeron.ClusterStack;
import io.verbus.perf.floor.BareLogs;
import io.verbus.perf.floor.DatagramFloor;
import io.verbus.perf.floor.SharedMemoryFloor;
import io.verbus.perf.floor.VerbsFloor;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.LocalDriver;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.load.Worker;
import io.verbus.perf.process.AeronJars;
import io.verbus.perf.process.ChildMain;
import io.verbus.perf.process.ChildProgram;
import io.verbus.perf.process.JavaProgram;
import io.verbus.perf.verbus.VerbusStack;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Table of all that can be measured, and the program of its worker processes.
 *
 * <p>A worker that has only Aeron's libraries loads this class too. The factories are therefore
 * lambda expressions, whose classes are not resolved before they are called, and this class throws
 * no exception of Verbus.
 */
public enum Contender implements ChildProgram {
    /** Aeron's Java driver and client. */
    AERON(
            "aeron",
            Kind.BUS,
            Libraries.AERON,
            (work, role, directory) ->
                    new AeronStack(
                            work,
                            work.hasDriver(role) ? AeronStack.launch(work, directory) : null,
                            directory),
            (work, directory) -> AeronStack.launch(work, directory)),

    /** Aeron's Java client on its C driver, which is a separate program. */
    AERON_C(
            "aeron-c",
            Kind.BUS,
            Libraries.AERON,
            Contender::embedsNoDriver,
            (work, directory) -> AeronCDriver.launch(work, directory)),

    /** Verbus. */
    VERBUS(
            "verbus",
            Kind.BUS,
            Libraries.VERBUS,
            (work, role, directory) -> new VerbusStack(work, role, directory),
            (work, directory) -> VerbusStack.launch(work, directory)),

    /** Aeron's client on Verbus' driver. */
    AERON_ON_VERBUS(
            "verbus with aeron's client",
            Kind.BUS,
            Libraries.BOTH,
            (work, role, directory) ->
                    new AeronStack(work, VerbusStack.launch(work, directory), directory),
            Contender::hasNoDriver),

    /**
     * The machine's cost without a bus. Does not support UDP streams, because sockets alone lose
     * datagrams.
     */
    FLOOR(
            "floor",
            Kind.BARE,
            Libraries.VERBUS,
            (work, role, directory) ->
                    switch (work.wire()) {
                        case IPC -> new SharedMemoryFloor(work);
                        case UDP -> new DatagramFloor(work);
                        case RDMA -> new VerbsFloor(work, true);
                    },
            Contender::hasNoDriver),

    /**
     * The cost of a log without a bus: each message goes to the next cache lines of equally large
     * memory.
     */
    BARE_LOG(
            "bare_log",
            Kind.BARE,
            Libraries.VERBUS,
            (work, role, directory) -> new BareLogs(work),
            Contender::hasNoDriver),

    /**
     * Verbus' verbs layer alone: one write per message; the receiver polls the message's last word.
     */
    VERBS(
            "verbs",
            Kind.BARE,
            Libraries.VERBUS,
            (work, role, directory) -> new VerbsFloor(work, false),
            Contender::hasNoDriver),

    /** perftest's RDMA write latency program. */
    IB_WRITE_LAT("ib_write_lat"),

    /** perftest's RDMA write bandwidth program. */
    IB_WRITE_BW("ib_write_bw"),

    /** Aeron Cluster on Aeron's Java drivers. */
    CLUSTER_ON_AERON(
            "cluster on aeron",
            Kind.SERVICE,
            Libraries.AERON,
            (work, role, directory) -> ClusterStack.on(AeronStack::launch, work, directory),
            Contender::hasNoDriver),

    /** Aeron Cluster on Verbus' drivers. */
    CLUSTER_ON_VERBUS(
            "cluster on verbus",
            Kind.SERVICE,
            Libraries.BOTH,
            (work, role, directory) ->
                    ClusterStack.on(VerbusStack::launchForAeron, work, directory),
            Contender::hasNoDriver),

    /** Aeron Archive and its client on Aeron's Java drivers. */
    ARCHIVE_ON_AERON(
            "archive on aeron",
            Kind.SERVICE,
            Libraries.AERON,
            (work, role, directory) -> ArchiveStack.on(AeronStack::launch, work, directory),
            Contender::hasNoDriver),

    /** Aeron Archive and its client on Verbus' drivers. */
    ARCHIVE_ON_VERBUS(
            "archive on verbus",
            Kind.SERVICE,
            Libraries.BOTH,
            (work, role, directory) ->
                    ArchiveStack.on(VerbusStack::launchForAeron, work, directory),
            Contender::hasNoDriver);

    private enum Kind {
        /** Bus with drivers and clients. */
        BUS,
        /** Part of a bus, or the machine alone. */
        BARE,
        /** Program that measures itself. */
        PROGRAM,
        /** Aeron service on a bus. */
        SERVICE
    }

    /** Libraries of a worker process, beside the measuring loop. */
    private enum Libraries {
        VERBUS,
        AERON,
        BOTH
    }

    @FunctionalInterface
    private interface Stacks {
        Stack setUp(Work work, Role role, String directory);
    }

    private final String text;
    private final Kind kind;
    private final Libraries libraries;
    private final Stacks stacks;
    private final LocalDriver.Launcher drivers;

    Contender(
            String text,
            Kind kind,
            Libraries libraries,
            Stacks stacks,
            LocalDriver.Launcher drivers) {
        this.text = text;
        this.kind = kind;
        this.libraries = libraries;
        this.stacks = stacks;
        this.drivers = drivers;
    }

    Contender(String program) {
        this(
                program,
                Kind.PROGRAM,
                Libraries.VERBUS,
                Contender::embedsNoDriver,
                Contender::hasNoDriver);
    }

    private static Stack embedsNoDriver(Work work, Role role, String directory) {
        throw new IllegalArgumentException(
                "Aeron's C driver is a separate program that cannot be embedded: omit --drivers");
    }

    private static LocalDriver hasNoDriver(Work work, String directory) {
        throw new IllegalArgumentException(
                "this contender has no driver that can run in its own process: omit --drivers");
    }

    /** Returns the transports over which the contender can be measured. */
    public Set<Wire> wires() {
        return switch (this) {
            case BARE_LOG -> EnumSet.of(Wire.IPC);
            case VERBS, IB_WRITE_LAT, IB_WRITE_BW -> EnumSet.of(Wire.RDMA);
            default -> EnumSet.allOf(Wire.class);
        };
    }

    /** Returns whether the contender supports a load over a transport. */
    public boolean supports(Load.Kind load, Wire wire) {
        return switch (this) {
            case IB_WRITE_LAT -> load == ROUND_TRIPS;
            case IB_WRITE_BW -> load == STREAM;
            case FLOOR -> load == ROUND_TRIPS || load == STREAM && wire != Wire.UDP;
            case CLUSTER_ON_AERON, CLUSTER_ON_VERBUS -> load == ROUND_TRIPS;
            case ARCHIVE_ON_AERON, ARCHIVE_ON_VERBUS -> load == RECORDINGS;
            default -> load != RECORDINGS;
        };
    }

    /** Returns whether the contender is a bus, with drivers and clients. */
    public boolean isBus() {
        return kind == Kind.BUS;
    }

    /** Returns whether Verbus, or a part of it, can be compared with the contender. */
    public boolean isPeer() {
        return kind != Kind.SERVICE && this != AERON_ON_VERBUS && this != VERBS;
    }

    /** Returns whether both ends are threads of one process, with a single publisher. */
    public boolean isTwoThreads(Wire wire) {
        return wire == Wire.IPC && kind == Kind.BARE;
    }

    /**
     * Returns the work to do beside Verbus: the same on different ports, and for Aeron, over UDP
     * instead of RDMA.
     */
    public Work besideVerbus(Work work) {
        boolean needsUdp = work.wire() == Wire.RDMA && (this == AERON || this == AERON_C);
        return needsUdp ? work.overUdp() : work.atOtherPorts();
    }

    /**
     * Starts the contender.
     *
     * @param work work to do.
     * @param progress consumer of the number of completed messages, about once a second.
     * @param flags additional flags of the workers' JVMs.
     * @throws io.verbus.BusException if a process fails; its output says why.
     */
    public Run start(Work work, LongConsumer progress, List<String> flags) {
        return switch (this) {
            case IB_WRITE_LAT -> new IbWriteLatency(work);
            case IB_WRITE_BW -> new IbWriteBandwidth(work);
            default -> new Runner(this, work, progress, flags);
        };
    }

    /**
     * Returns the contender to run in a process with the given role: a driver needs no client, and
     * a client alone no driver.
     */
    Contender process(Role role, Work work) {
        return switch (this) {
            case AERON_C -> role == Role.DRIVER ? this : AERON;
            case AERON_ON_VERBUS ->
                    role == Role.DRIVER ? VERBUS : work.hasDriver(role) ? this : AERON;
            default -> this;
        };
    }

    /** Returns the worker process: its class path has only the libraries of the contender. */
    JavaProgram program() {
        return JavaProgram.other(
                this,
                switch (libraries) {
                    case VERBUS -> JavaProgram.ownClassPath();
                    case AERON -> AeronJars.classPath(ChildMain.class);
                    case BOTH -> AeronJars.behindOwnClassPath();
                });
    }

    /**
     * Runs a worker process.
     *
     * @param args role, directory of the driver, and the words of a {@link Work}.
     */
    @Override
    public void run(String[] args) {
        Role role = Role.valueOf(args[0]);
        String directory = args[1];
        Work work = Work.parse(List.of(args).subList(2, args.length));
        Worker worker = new Worker(work, System.in, System.out);
        if (role == Role.DRIVER) {
            try (LocalDriver driver = drivers.launch(work, directory)) {
                worker.drive(driver);
            }
        } else {
            try (Stack stack = stacks.setUp(work, role, directory)) {
                worker.run(role, stack);
            }
        }
    }

    /** Returns the display name. */
    @Override
    public String toString() {
        return text;
    }
}
