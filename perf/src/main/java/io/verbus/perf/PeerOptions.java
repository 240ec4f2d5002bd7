// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.aeron.AeronCWorker;
import io.verbus.perf.load.Work;
import io.verbus.perf.run.Contender;
import io.verbus.perf.verbus.VerbusStack;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** Options that select the two systems to compare. */
final class PeerOptions {
    /** Option that gives the path of Aeron's C driver. */
    static final String PROGRAM_OPTION = "--aeronmd";

    private static final String DRIVER_OPTION = "--driver-option";

    @Option(
            names = "--peer",
            paramLabel = "PEER",
            description = {
                "What to compare with (default: ${DEFAULT-VALUE}):",
                "aeron: over IPC or UDP, like Verbus; with --transport rdma, over UDP between the"
                        + " same addresses;",
                "aeron-c: Aeron's client on its C driver, by default beside the same client on"
                        + " Verbus' driver; the drivers run in their own processes; with"
                        + " --transport rdma, over UDP;",
                "verbus: Verbus without the --driver-option;",
                "floor: the machine's cost without a bus: on IPC, a cache line to another thread"
                        + " and one back, or a memory copy; on UDP, one datagram per message"
                        + " through Verbus' sockets alone, no streams; on RDMA, two work"
                        + " requests per message through Verbus' verbs alone;",
                "bare_log: on IPC, a log without a bus: each message fills the next cache lines"
                        + " of a memory as large as a log, and one word marks it as complete;",
                "ib_write_lat, ib_write_bw: perftest's programs."
            })
    private Peer peer = Peer.AERON;

    @Option(
            names = "--subject",
            paramLabel = "verbus|verbs",
            description = {
                "What to compare with the peer: the bus, or its verbs alone, one work request"
                        + " per message (default: verbs with ib_write_lat, else verbus)."
            })
    private Subject subject;

    @Option(
            names = "--client",
            paramLabel = "verbus|aeron",
            description = {
                "Client used with Verbus' driver. With aeron, the same program runs on both"
                        + " drivers (default: verbus; aeron with --peer aeron-c)."
            })
    private Client client;

    @Option(
            names = PROGRAM_OPTION,
            paramLabel = "PATH",
            description = {
                "Path of Aeron's C driver, for --peer aeron-c (default: aeronmd in the directory"
                        + " AERON_C_BIN, else on PATH)."
            })
    private Path program;

    @Option(
            names = DRIVER_OPTION,
            paramLabel = "NAME=VALUE",
            description = {
                "Option of Verbus' drivers, such as latency-samples-per-second=10; may be repeated."
                        + " The drivers of --peer verbus do not have it."
            })
    private Map<String, String> driverOptions = new LinkedHashMap<>();

    /** Returns the peer that Verbus is compared with. */
    Peer peer() {
        return peer;
    }

    /**
     * Checks that the options are consistent, and locates Aeron's C driver if it is needed.
     *
     * @throws picocli.CommandLine.ParameterException if an option is wrong.
     * @throws io.verbus.BusException if the peer does not support the transport, or its driver is
     *     not found.
     */
    void check(WorkOptions options) {
        peer.check(options.transport());
        if (subject == null) {
            subject = Subject.against(peer);
        }
        if (peer == Peer.AERON_C) {
            options.needOwnDrivers("--peer " + peer + " runs a separate program");
            program = AeronProgram.find(program, System.getenv());
            client = client == null ? Client.AERON : client;
        } else if (program != null) {
            throw options.wrong(
                    PROGRAM_OPTION
                            + " applies only to --peer aeron-c: add --peer aeron-c, or omit "
                            + PROGRAM_OPTION);
        }
        boolean isBus = subject == Subject.VERBUS && peer.isBus();
        if (client != null && !isBus) {
            throw options.wrong(
                    "--client applies only to a bus, not to "
                            + (peer.isBus() ? "--subject " + subject : "--peer " + peer)
                            + ": omit --client");
        }
        if (client == null) {
            client = Client.VERBUS;
        }
        if (!driverOptions.isEmpty()) {
            options.checkOneHost(DRIVER_OPTION + " applies to drivers");
            if (subject != Subject.VERBUS) {
                throw options.wrong(
                        DRIVER_OPTION
                                + " applies only to a bus, not to --subject "
                                + subject
                                + ": omit "
                                + DRIVER_OPTION);
            }
        }
        if (!isBus) {
            options.checkEmbeddedDrivers("only Verbus and Aeron have drivers");
        }
    }

    /**
     * Returns the option that gives the path of Aeron's C driver, or an empty list if none is used.
     */
    List<String> words() {
        return program == null ? List.of() : List.of(PROGRAM_OPTION + "=" + program);
    }

    /** Returns the display name of the system that is compared with the peer. */
    String subjectName() {
        String name =
                client == Client.AERON ? subject + " with aeron's client" : subject.toString();
        if (driverOptions.isEmpty()) {
            return name;
        }
        List<String> given = new ArrayList<>();
        driverOptions.forEach((option, value) -> given.add(option + "=" + value));
        return name + " with " + String.join(", ", given);
    }

    /** Returns the display name of the peer, which differs from that of the subject. */
    String peerName() {
        String name = peer.toString();
        return name.equals(subjectName()) ? "the same " + name : name;
    }

    /** Starts the system that is compared with the peer. */
    Contender subject(Work work, LongConsumer progress) {
        List<String> flags = new ArrayList<>();
        driverOptions.forEach(
                (name, value) -> flags.add("-D" + VerbusStack.OPTION_PREFIX + name + "=" + value));
        return subject.contender(client, work, flags, progress);
    }

    /** Starts the peer. */
    Contender peer(Work work, LongConsumer progress) {
        return peer.contender(work, flags(), progress);
    }

    private List<String> flags() {
        return program == null
                ? List.of()
                : List.of("-D" + AeronCWorker.PROGRAM_PROPERTY + "=" + program);
    }
}
