// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import java.io.File;

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
    },

    /** A cluster of Aeron's on its Java drivers. */
    CLUSTER_ON_AERON("io.verbus.perf.aeron.ClusterWorker") {
        @Override
        String classPath() {
            return AERON.classPath();
        }
    },

    /** The same on Verbus' drivers. */
    CLUSTER_ON_VERBUS("io.verbus.perf.attached.AttachedClusterWorker") {
        @Override
        String classPath() {
            return AERON_ON_VERBUS.classPath();
        }
    },

    /** Aeron's archive, and a client of it, on its Java drivers. */
    ARCHIVE_ON_AERON("io.verbus.perf.aeron.ArchiveWorker") {
        @Override
        String classPath() {
            return AERON.classPath();
        }
    },

    /** The same on Verbus' drivers. */
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

    /** Aeron's client on Aeron's C driver, which is a program of its own. */
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

    /** Class whose {@code main} is a process of a run. */
    String worker() {
        return worker;
    }

    /**
     * What runs in a process of a role: a client alone needs nothing of the driver that it uses.
     */
    BusUnderTest process(Role role, Work work) {
        return this;
    }

    /** This command's own, but for what must not see Verbus. */
    String classPath() {
        return System.getProperty("java.class.path");
    }
}
