// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import java.io.File;

/** System to measure in separate JVMs: its worker class and class path. */
public enum BusUnderTest {
    /** Verbus. */
    VERBUS("io.verbus.perf.verbus.VerbusWorker"),

    /** Lower bound for any bus on shared memory. */
    SHARED_MEMORY("io.verbus.perf.floor.FloorWorker"),

    /** Lower bound for any log on shared memory. */
    BARE_LOG("io.verbus.perf.floor.BareLogWorker"),

    /** Sockets alone, one datagram per message. */
    DATAGRAMS("io.verbus.perf.floor.DatagramWorker"),

    /** Verbs alone, one work request per message. */
    VERBS_ONE("io.verbus.perf.floor.VerbsInOneWorker"),

    /** Verbs alone, two work requests per message. */
    VERBS_TWO("io.verbus.perf.floor.VerbsInTwoWorker"),

    /** Aeron's Java driver and client: its jars, and this module for the measuring loop. */
    AERON("io.verbus.perf.aeron.AeronWorker") {
        @Override
        String classPath() {
            return AeronJars.classPath(Worker.class);
        }
    },

    /** Aeron Cluster on Aeron's Java drivers. */
    CLUSTER_ON_AERON("io.verbus.perf.aeron.ClusterWorker") {
        @Override
        String classPath() {
            return AERON.classPath();
        }
    },

    /** Aeron Cluster on Verbus' drivers. */
    CLUSTER_ON_VERBUS("io.verbus.perf.attached.AttachedClusterWorker") {
        @Override
        String classPath() {
            return AERON_ON_VERBUS.classPath();
        }
    },

    /** Aeron Archive and its client on Aeron's Java drivers. */
    ARCHIVE_ON_AERON("io.verbus.perf.aeron.ArchiveWorker") {
        @Override
        String classPath() {
            return AERON.classPath();
        }
    },

    /** Aeron Archive and its client on Verbus' drivers. */
    ARCHIVE_ON_VERBUS("io.verbus.perf.attached.AttachedArchiveWorker") {
        @Override
        String classPath() {
            return AERON_ON_VERBUS.classPath();
        }
    },

    /** Aeron's client on Verbus' driver. */
    AERON_ON_VERBUS("io.verbus.perf.attached.AttachedWorker") {
        @Override
        String classPath() {
            return super.classPath() + File.pathSeparator + AeronJars.classPath();
        }

        @Override
        BusUnderTest process(Role role, Work work) {
            if (role == Role.DRIVER) {
                return VERBUS;
            }
            return work.hasDriver(role) ? this : AERON;
        }
    },

    /** Aeron's client on Aeron's C driver, which is a separate program. */
    AERON_C("io.verbus.perf.aeron.AeronCWorker") {
        @Override
        String classPath() {
            return AERON.classPath();
        }

        @Override
        BusUnderTest process(Role role, Work work) {
            return role == Role.DRIVER ? this : AERON;
        }
    };

    private final String worker;

    BusUnderTest(String worker) {
        this.worker = worker;
    }

    /** Returns the class whose {@code main} runs a worker process. */
    String worker() {
        return worker;
    }

    /**
     * Returns the variant to run in a process with the given role: a process with only a client
     * needs no driver code.
     */
    BusUnderTest process(Role role, Work work) {
        return this;
    }

    /**
     * Returns the worker's class path: that of this process, unless the worker must not see Verbus.
     */
    String classPath() {
        return System.getProperty("java.class.path");
    }
}
