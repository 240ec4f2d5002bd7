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

/** What Verbus can be compared with. */
enum Peer {
    /** Aeron's Java driver and client; beside RDMA it uses UDP. */
    AERON(EnumSet.allOf(Wire.class), true, true) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new Runner(BusUnderTest.AERON, ofAeron(work), progress);
        }
    },

    /** Aeron's client on its C driver; beside RDMA it uses UDP. */
    AERON_C(EnumSet.allOf(Wire.class), true, true) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new Runner(BusUnderTest.AERON_C, ofAeron(work), progress, flags);
        }
    },

    /** What the machine does without a bus; streams are no part of UDP's, as it loses some. */
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

    /** What a log costs without a bus: each message in the next lines of as much memory. */
    BARE_LOG(EnumSet.of(Wire.IPC), true, true) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new Runner(BusUnderTest.BARE_LOG, work, progress);
        }
    },

    /** perftest's program for the latency of writes. */
    IB_WRITE_LAT(EnumSet.of(Wire.RDMA), true, false) {
        @Override
        Contender contender(Work work, List<String> flags, LongConsumer progress) {
            return new IbWriteLatency(work.atOtherPorts());
        }
    },

    /** perftest's program for the bandwidth of writes. */
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

    /** The same work for Aeron, which has no RDMA. */
    private static Work ofAeron(Work work) {
        return work.wire() == Wire.IPC ? work : work.overUdp();
    }

    /**
     * Sets it up for the same work as Verbus, at ports of its own.
     *
     * @param flags of the JVMs of the C driver.
     */
    abstract Contender contender(Work work, List<String> flags, LongConsumer progress);

    boolean hasRoundTrips() {
        return hasRoundTrips;
    }

    boolean hasStreams(Wire wire) {
        return hasStreams;
    }

    /** Whether it is a bus, with drivers and clients. */
    boolean isBus() {
        return this == AERON || this == AERON_C;
    }

    /** Whether it has no processes of its own for the two ends, and one sending thread. */
    boolean isTwoThreads(Wire wire) {
        return wire == Wire.IPC && !isBus();
    }

    /** Fails if it is none of this transport. */
    void check(Wire wire) {
        if (!wires.contains(wire)) {
            throw new BusException(
                    "--peer " + this + " measures " + wires + ", not --transport " + wire);
        }
    }

    @Override
    public String toString() {
        return this == AERON_C ? "aeron-c" : name().toLowerCase(Locale.ROOT);
    }
}
