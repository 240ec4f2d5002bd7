// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.run.BusUnderTest;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Runner;

import java.util.Locale;
import java.util.function.LongConsumer;

/** What of Verbus is compared. */
enum Subject {
    /** The bus. */
    VERBUS {
        @Override
        Contender contender(Client client, Work work, LongConsumer progress) {
            return new Runner(client.bus(), work, progress);
        }
    },

    /** Its verbs alone: a message is one write, whose last word is polled. */
    VERBS {
        @Override
        Contender contender(Client client, Work work, LongConsumer progress) {
            if (work.wire() != Wire.RDMA) {
                throw new BusException("--subject verbs needs --transport rdma");
            }
            return new Runner(BusUnderTest.VERBS_ONE, work, progress);
        }
    };

    /** Sets it up; the client is that of the bus. */
    abstract Contender contender(Client client, Work work, LongConsumer progress);

    /** What is compared with a peer if nothing else is said: with programs of writes, writes. */
    static Subject against(Peer peer) {
        return peer == Peer.IB_WRITE_LAT ? VERBS : VERBUS;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
