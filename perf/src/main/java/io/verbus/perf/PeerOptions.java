// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigSources;
import io.verbus.perf.aeron.AeronCDriver;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Run;
import io.verbus.perf.verbus.VerbusStack;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;

/** Options that select the two contenders to compare. */
final class PeerOptions {
    /** Option that gives the path of Aeron's C driver. */
    static final String PROGRAM_OPTION = "--aeronmd";

    private static final String DRIVER_OPTION = "--driver-option";

    @Option(
            names = "--peer",
            paramLabel = "PEER",
            converter = Peers.class,
            completionCandidates = Peers.class,
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
                        + " through Verbus' sockets alone, for round trips only; on RDMA, two work"
                        + " requests per message through Verbus' verbs layer alone;",
                "bare_log: on IPC, a log without a bus: each message fills the next cache lines of"
                        + " memory that is as large as a log, and one word marks the message as"
                        + " complete;",
                "ib_write_lat, ib_write_bw: perftest's programs."
            })
    private Contender peer = Contender.AERON;

    @Option(
            names = "--subject",
            paramLabel = "verbus|verbs",
            converter = Subjects.class,
            completionCandidates = Subjects.class,
            description = {
                "What to compare with the peer: the bus, or its verbs layer alone, with one work"
                        + " request per message (default: verbs with --peer ib_write_lat, else"
                        + " verbus)."
            })
    private Contender subject;

    @Option(
            names = "--client",
            paramLabel = "verbus|aeron",
            converter = Clients.class,
            completionCandidates = Clients.class,
            description = {
                "Client used with Verbus' driver. With aeron, the same program runs on both"
                        + " drivers (default: verbus; aeron with --peer aeron-c)."
            })
    private Contender client;

    @Option(
            names = PROGRAM_OPTION,
            paramLabel = "PATH",
            description = {
                "Path of Aeron's C driver, for --peer aeron-c (default: aeronmd in the directory"
                        + " that AERON_C_BIN names, else on PATH)."
            })
    private Path program;

    @Option(
            names = DRIVER_OPTION,
            paramLabel = "NAME=VALUE",
            description = {
                "Option of Verbus' drivers, such as latency-samples-per-second=10; may be repeated."
                        + " The drivers of --peer verbus run without it."
            })
    private Map<String, String> driverOptions = new LinkedHashMap<>();

    /** Returns the peer that Verbus is compared with. */
    Contender peer() {
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
        checkTransport("--peer", peer, options.transport());
        if (subject == null) {
            subject = peer == Contender.IB_WRITE_LAT ? Contender.VERBS : Contender.VERBUS;
        }
        if (peer == Contender.AERON_C) {
            options.needOwnDrivers("--peer " + peer + " runs a separate program");
            program = AeronProgram.find(program, System.getenv());
            client = client == null ? Contender.AERON_ON_VERBUS : client;
        } else if (program != null) {
            throw options.wrong(
                    PROGRAM_OPTION
                            + " applies only to --peer aeron-c: add --peer aeron-c, or omit "
                            + PROGRAM_OPTION);
        }
        boolean isBus = subject == Contender.VERBUS && peer.isBus();
        if (client != null && !isBus) {
            throw options.wrong(
                    "--client applies only to a bus, not to "
                            + (peer.isBus() ? "--subject " + subject : "--peer " + peer)
                            + ": omit --client");
        }
        if (!driverOptions.isEmpty()) {
            checkDriverOptions(options);
            options.checkOneHost(DRIVER_OPTION + " applies to drivers");
            if (subject != Contender.VERBUS) {
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
        checkTransport("--subject", subject, options.transport());
        if (client != null) {
            subject = client;
        }
    }

    private void checkDriverOptions(WorkOptions options) {
        DriverConfigSources sources =
                new DriverConfigSources(DriverConfig.builder(), MediaDriver.presentMedia());
        try {
            driverOptions.forEach(
                    (name, value) -> sources.set(name, value, DRIVER_OPTION + " " + name));
        } catch (BusException ex) {
            throw options.wrong(ex.getMessage());
        }
    }

    private static void checkTransport(String option, Contender contender, Wire transport) {
        if (!contender.wires().contains(transport)) {
            throw new BusException(
                    option
                            + " "
                            + contender
                            + " does not support --transport "
                            + transport
                            + ": choose one of "
                            + contender.wires());
        }
    }

    /**
     * Returns the option that gives the path of Aeron's C driver, or an empty list if none is used.
     */
    List<String> words() {
        return program == null ? List.of() : List.of(PROGRAM_OPTION + "=" + program);
    }

    /** Returns the display name of the contender that is compared with the peer. */
    String subjectName() {
        if (driverOptions.isEmpty()) {
            return subject.toString();
        }
        List<String> given = new ArrayList<>();
        driverOptions.forEach((option, value) -> given.add(option + "=" + value));
        return subject + " with " + String.join(", ", given);
    }

    /** Returns the display name of the peer, which differs from that of the subject. */
    String peerName() {
        String name = peer.toString();
        return name.equals(subjectName()) ? "the same " + name : name;
    }

    /** Starts the contender that is compared with the peer. */
    Run subject(Work work, LongConsumer progress) {
        List<String> flags = new ArrayList<>();
        driverOptions.forEach(
                (name, value) -> flags.add("-D" + VerbusStack.OPTION_PREFIX + name + "=" + value));
        return subject.start(work, progress, flags);
    }

    /** Starts the peer. */
    Run peer(Work work, LongConsumer progress) {
        List<String> flags =
                program == null
                        ? List.of()
                        : List.of("-D" + AeronCDriver.PROGRAM_PROPERTY + "=" + program);
        return peer.start(peer.besideVerbus(work), progress, flags);
    }

    /** Values of an option that names a contender. */
    private abstract static class Names implements ITypeConverter<Contender>, Iterable<String> {
        private final Map<String, Contender> contenders = new LinkedHashMap<>();

        final void add(String name, Contender contender) {
            contenders.put(name, contender);
        }

        @Override
        public Contender convert(String name) {
            Contender contender = contenders.get(name.toLowerCase(Locale.ROOT));
            if (contender == null) {
                throw new TypeConversionException(
                        "choose one of %s, not '%s'"
                                .formatted(String.join(", ", contenders.keySet()), name));
            }
            return contender;
        }

        @Override
        public Iterator<String> iterator() {
            return contenders.keySet().iterator();
        }
    }

    private static final class Peers extends Names {
        Peers() {
            for (Contender contender : Contender.values()) {
                if (contender.isPeer()) {
                    add(contender.toString(), contender);
                }
            }
        }
    }

    private static final class Subjects extends Names {
        Subjects() {
            add(Contender.VERBUS.toString(), Contender.VERBUS);
            add(Contender.VERBS.toString(), Contender.VERBS);
        }
    }

    /** Clients of Verbus' driver. */
    private static final class Clients extends Names {
        Clients() {
            add(Contender.VERBUS.toString(), Contender.VERBUS);
            add(Contender.AERON.toString(), Contender.AERON_ON_VERBUS);
        }
    }
}
