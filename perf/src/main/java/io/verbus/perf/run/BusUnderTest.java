// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.perf.load.Worker;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

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
            Path peer = Path.of(System.getProperty("verbus.perf.peer", defaultFolder()));
            if (!Files.isDirectory(peer)) {
                throw new BusException("Aeron's jars are not in " + peer + "; run: ./verbus build");
            }
            return peer + File.separator + "*" + File.pathSeparator + ownClasses();
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

    private static String defaultFolder() {
        return ownClasses().resolveSibling("../peer").normalize().toString();
    }

    private static Path ownClasses() {
        try {
            return Path.of(
                    Worker.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException ex) {
            throw new BusException("cannot tell where the perf module's classes are", ex);
        }
    }
}
