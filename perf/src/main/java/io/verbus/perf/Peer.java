// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.run.BusUnderTest;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.IbWriteBandwidth;
import io.verbus.perf.run.IbWriteLatency;
import io.verbus.perf.run.Runner;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongConsumer;

/** System to compare Verbus with. */
enum Peer {
    /** Aeron's Java driver and client; compared with Verbus over RDMA, it uses UDP. */
    AERON(EnumSet.allOf(Wire.class), true, true) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new Runner(BusUnderTest.AERON, ofAeron(work), progress);
        }
    },

    /** Aeron's Java client on its C driver; compared with Verbus over RDMA, it uses UDP. */
    AERON_C(EnumSet.allOf(Wire.class), true, true) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new Runner(BusUnderTest.AERON_C, ofAeron(work), progress, flags);
        }
    },

    /** Verbus itself, with the drivers' default options. */
    VERBUS(EnumSet.allOf(Wire.class), true, true) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new Runner(BusUnderTest.VERBUS, work.atOtherPorts(), progress);
        }
    },

    /**
     * The machine's cost without a bus. Does not support UDP streams, because sockets alone lose
     * datagrams.
     */
    FLOOR(EnumSet.allOf(Wire.class), true, true) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return switch (work.wire()) {
                case IPC -> new Runner(BusUnderTest.SHARED_MEMORY, work, progress);
                case UDP -> new Runner(BusUnderTest.DATAGRAMS, work.atOtherPorts(), progress);
                case RDMA -> new Runner(BusUnderTest.VERBS_TWO, work.atOtherPorts(), progress);
            };
        }

        @Override
        boolean hasStreams(Wire wire) {
            return wire != Wire.UDP;
        }
    },

    /**
     * The cost of a log without a bus: each message goes to the next cache lines of equally large
     * memory.
     */
    BARE_LOG(EnumSet.of(Wire.IPC), true, true) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new Runner(BusUnderTest.BARE_LOG, work, progress);
        }
    },

    /** perftest's RDMA write latency program. */
    IB_WRITE_LAT(EnumSet.of(Wire.RDMA), true, false) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new IbWriteLatency(work.atOtherPorts());
        }
    },

    /** perftest's RDMA write bandwidth program. */
    IB_WRITE_BW(EnumSet.of(Wire.RDMA), false, true) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new IbWriteBandwidth(work.atOtherPorts());
        }
    };

    private final Set<Wire> wires;
    private final boolean hasRoundTrips;
    private final boolean hasStreams;

    Peer(Set<Wire> wires, boolean hasRoundTrips, boolean hasStreams) {
        this.wires = wires;
        this.hasRoundTrips = hasRoundTrips;
        this.hasStreams = hasStreams;
    }

    /** Returns the work for Aeron: RDMA is replaced by UDP. */
    private static Work ofAeron(Work work) {
        return work.wire() == Wire.IPC ? work : work.overUdp();
    }

    /**
     * Starts the peer for the same work as Verbus, on different ports.
     *
     * @param flags additional flags for the JVMs that run the C driver.
     */
    abstract Contender contender(Work work, List<String> flags, LongConsumer progress);

    boolean hasRoundTrips() {
        return hasRoundTrips;
    }

    boolean hasStreams(Wire wire) {
        return hasStreams;
    }

    /** Returns whether the peer is a bus, with drivers and clients. */
    boolean isBus() {
        return this == AERON || this == AERON_C || this == VERBUS;
    }

    /** Returns whether both ends are threads of one process, with a single publisher. */
    boolean isTwoThreads(Wire wire) {
        return wire == Wire.IPC && !isBus();
    }

    /** Fails if the peer does not support the transport. */
    void check(Wire wire) {
        if (!wires.contains(wire)) {
            throw new BusException(
                    "--peer "
                            + this
                            + " does not support --transport "
                            + wire
                            + ": choose one of "
                            + wires);
        }
    }

    @Override
    public String toString() {
        return this == AERON_C ? "aeron-c" : name().toLowerCase(Locale.ROOT);
    }
}
