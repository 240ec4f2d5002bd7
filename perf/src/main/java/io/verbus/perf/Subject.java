// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.run.BusUnderTest;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Runner;

import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;

/** Part of Verbus to compare with a peer. */
enum Subject {
    /** The bus. */
    VERBUS {
        @Override
        Contender contender(Client client, Work work, List<String> flags, LongConsumer progress) {
            return new Runner(client.bus(), work, progress, flags);
        }
    },

    /**
     * Verbus' verbs layer alone: one write per message; the receiver polls the message's last word.
     */
    VERBS {
        @Override
        Contender contender(Client client, Work work, List<String> flags, LongConsumer progress) {
            if (work.wire() != Wire.RDMA) {
                throw new BusException("--subject verbs needs --transport rdma");
            }
            return new Runner(BusUnderTest.VERBS_ONE, work, progress);
        }
    };

    /**
     * Starts the subject.
     *
     * @param client client of the bus.
     * @param flags additional flags of the bus' JVMs.
     */
    abstract Contender contender(
            Client client, Work work, List<String> flags, LongConsumer progress);

    /** Returns the default subject for a peer: verbs for perftest's write latency, else the bus. */
    static Subject against(Peer peer) {
        return peer == Peer.IB_WRITE_LAT ? VERBS : VERBUS;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
