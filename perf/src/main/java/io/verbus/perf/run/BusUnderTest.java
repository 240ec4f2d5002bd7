// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.load.Worker;

/** What is measured in JVMs of its own: which class runs it, on which class path. */
public enum BusUnderTest {
    /** Verbus. */
    VERBUS("io.verbus.perf.verbus.VerbusWorker"),

    /** What no bus can beat on shared memory. */
    SHARED_MEMORY("io.verbus.perf.floor.FloorWorker"),

    /** What no log can beat on shared memory. */
    BARE_LOG("io.verbus.perf.floor.BareLogWorker"),

    /** Sockets alone, a message in one datagram. */
    DATAGRAMS("io.verbus.perf.floor.DatagramWorker"),

    /** Verbs alone, a message in one work request. */
    VERBS_ONE("io.verbus.perf.floor.VerbsInOneWorker"),

    /** Verbs alone, a message in two work requests. */
    VERBS_TWO("io.verbus.perf.floor.VerbsInTwoWorker"),

    /** Aeron's Java driver and client: its jars, and this module for the measuring loop. */
    AERON("io.verbus.perf.aeron.AeronWorker") {
        @Override
        String classPath() {
            return AeronJars.classPath(Worker.class);
        }
    };

    private final String worker;

    BusUnderTest(String worker) {
        this.worker = worker;
    }

    /** Class whose {@code main} is a process of a run. */
    String worker() {
        return worker;
    }

    /** This command's own, but for what must not see Verbus. */
    String classPath() {
        return System.getProperty("java.class.path");
    }
}
