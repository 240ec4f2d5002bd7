// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.aeron.AeronCWorker;
import io.verbus.perf.load.Work;
import io.verbus.perf.run.Contender;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;

/** Options that say what is compared with what. */
final class PeerOptions {
    /** Option that names Aeron's C driver. */
    static final String PROGRAM_OPTION = "--aeronmd";

    @Option(
            names = "--peer",
            paramLabel = "PEER",
            description = {
                "What to compare with (default: ${DEFAULT-VALUE}):",
                "aeron: on RDMA, its UDP between the same addresses;",
                "aeron-c: Aeron's client on its C driver, by default beside the same client on"
                        + " Verbus' driver; drivers are in processes of their own; on RDMA, UDP;",
                "floor: what the machine does without a bus: on IPC, a cache line that goes to"
                        + " another thread and one that comes back, or a memory copy; on UDP, a"
                        + " datagram a message, through Verbus's sockets alone, no streams; on"
                        + " RDMA, two work requests a message, through Verbus's verbs alone;",
                "bare_log: on IPC, a log without a bus: each message in the next cache lines of as"
                        + " much memory, and nothing but the word that says it is there;",
                "ib_write_lat, ib_write_bw: perftest's programs."
            })
    private Peer peer = Peer.AERON;

    @Option(
            names = "--subject",
            paramLabel = "verbus|verbs",
            description = {
                "What to compare: the bus, or its verbs alone, one work request a message (default:"
                        + " verbs with ib_write_lat, else verbus)."
            })
    private Subject subject;

    @Option(
            names = "--client",
            paramLabel = "verbus|aeron",
            description = {
                "Whose client uses Verbus' driver: with aeron, the same program runs on both"
                        + " drivers (default: verbus; aeron with --peer aeron-c)."
            })
    private Client client;

    @Option(
            names = PROGRAM_OPTION,
            paramLabel = "PATH",
            description = {
                "Aeron's C driver, for --peer aeron-c (default: aeronmd in the folder AERON_C_BIN,"
                        + " else on PATH)."
            })
    private Path program;

    /** What Verbus is compared with. */
    Peer peer() {
        return peer;
    }

    /**
     * Checks them together, and finds the program.
     *
     * @throws picocli.CommandLine.ParameterException or {@link io.verbus.BusException} that names
     *     what is wrong.
     */
    void check(WorkOptions options) {
        peer.check(options.transport());
        if (subject == null) {
            subject = Subject.against(peer);
        }
        if (peer == Peer.AERON_C) {
            options.needOwnDrivers("--peer " + peer + " is a program of its own");
            program = AeronProgram.find(program, System.getenv());
            client = client == null ? Client.AERON : client;
        } else if (program != null) {
            throw options.wrong(PROGRAM_OPTION + " is the program of --peer aeron-c: give both");
        }
        boolean isBus = subject == Subject.VERBUS && peer.isBus();
        if (client != null && !isBus) {
            throw options.wrong(
                    "--client uses a driver, which "
                            + (peer.isBus() ? "--subject " + subject : "--peer " + peer)
                            + " has not: leave it out");
        }
        if (client == null) {
            client = Client.VERBUS;
        }
        if (!isBus) {
            options.checkEmbeddedDrivers("only Verbus and Aeron have drivers");
        }
    }

    /** The program in the words of the command line, where one is used. */
    List<String> words() {
        return program == null ? List.of() : List.of(PROGRAM_OPTION + "=" + program);
    }

    /** What is compared, in words. */
    String subjectName() {
        return client == Client.AERON ? subject + " with aeron's client" : subject.toString();
    }

    /** Sets up what is compared. */
    Contender subject(Work work, LongConsumer progress) {
        return subject.contender(client, work, progress);
    }

    /** Sets up what it is compared with. */
    Contender peer(Work work, LongConsumer progress) {
        return peer.contender(work, flags(), progress);
    }

    private List<String> flags() {
        return program == null
                ? List.of()
                : List.of("-D" + AeronCWorker.PROGRAM_PROPERTY + "=" + program);
    }
}
