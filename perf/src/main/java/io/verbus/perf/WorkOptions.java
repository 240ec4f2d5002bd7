// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.perf.load.CpuBinding;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Load.Publications;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Drivers;
import io.verbus.perf.load.Work.Idle;
import io.verbus.perf.load.Work.Threading;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.process.Lab;
import io.verbus.perf.report.Environment;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

import java.util.BitSet;
import java.util.List;

/** Options for the measured work, common to all commands. */
final class WorkOptions {
    static final int DEFAULT_LENGTH = 32;

    /**
     * Default CPUs of the lab's two ends: each thread runs on the CPU that handles the other end's
     * packets.
     */
    private static final String LAB_AFFINITY = "0,1";

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--transport",
            paramLabel = "ipc|udp|rdma",
            description = "Transport of the messages (default: ${DEFAULT-VALUE}).")
    private Wire transport = Wire.IPC;

    @Option(
            names = "--processes",
            paramLabel = "1|2",
            description = {
                "Number of processes that run the two ends (default: 1 on IPC, otherwise 2). On"
                        + " IPC, two processes share the driver in the reflecting or receiving"
                        + " process; otherwise each has its own driver."
            })
    private Integer processes;

    @Option(
            names = "--drivers",
            paramLabel = "embedded|own",
            description = {
                "Location of the drivers. embedded: in the processes of the two ends. own: in"
                        + " separate processes, one driver on IPC and two otherwise, beside two"
                        + " processes for the ends, with --threading dedicated by default"
                        + " (default: embedded; own with --peer aeron-c)."
            })
    private Drivers drivers;

    @Option(
            names = "--publications",
            paramLabel = "exclusive|concurrent",
            description = {
                "Type of the publications (default: exclusive; concurrent if there are several"
                        + " sending threads)."
            })
    private Publications publications;

    @Option(
            names = "--length",
            paramLabel = "BYTES",
            split = ",",
            description = {
                "Message length in bytes, or several lengths, separated by commas, to measure in"
                        + " turn (default: 32). Published benchmarks use 32, 288 and 1344."
            })
    private List<Integer> lengths;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            description = "Maximum frame length, including the header (default: ${DEFAULT-VALUE}).")
    private int mtu = 1408;

    @Option(
            names = "--term-length",
            paramLabel = "BYTES",
            description = "Term length of every log (default: ${DEFAULT-VALUE}).")
    private int termLength = 16 * 1024 * 1024;

    @Option(
            names = "--threading",
            paramLabel = "MODE",
            description = {
                "Threading mode of the drivers: invoker, shared, shared_network, dedicated"
                        + " (default: shared on IPC; invoker otherwise, where the sending or"
                        + " reflecting thread invokes its process's driver; dedicated with"
                        + " --drivers own)."
            })
    private Threading threading;

    @Option(
            names = "--idle",
            paramLabel = "STRATEGY",
            description = {
                "Idle strategy of the sending and reflecting threads: busy_spin, noop, yield,"
                        + " backoff, agrona, sleep (default: ${DEFAULT-VALUE}). agrona is a"
                        + " BackoffIdleStrategy without arguments, which yields 5 times before it"
                        + " parks; backoff yields 20 times."
            })
    private Idle idle = Idle.BUSY_SPIN;

    @Option(
            names = "--driver-idle",
            paramLabel = "STRATEGY",
            description =
                    "Idle strategy of the drivers' own threads (default: ${DEFAULT-VALUE}). With"
                            + " backoff, a dedicated sender or receiver thread of Verbus yields"
                            + " for longer before it parks.")
    private Idle driverIdle = Idle.BACKOFF;

    @Option(
            names = "--local",
            paramLabel = "ADDRESS",
            description = {
                "Address of the sending end (default: the value of VERBUS_LAB_ADDR1; if it is not"
                        + " set, 127.0.0.1 on UDP)."
            })
    private String local = WorkChecks.environment("VERBUS_LAB_ADDR1");

    @Option(
            names = "--remote",
            paramLabel = "ADDRESS",
            description = {
                "Address of the reflecting or receiving end, which also runs on this host unless"
                        + " --server is given (default: the value of VERBUS_LAB_ADDR2; if it is not"
                        + " set, 127.0.0.1 on UDP)."
            })
    private String remote = WorkChecks.environment("VERBUS_LAB_ADDR2");

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "First of four ports to use (default: ${DEFAULT-VALUE}).")
    private int port = 20_410;

    @Option(
            names = "--affinity",
            paramLabel = "CPU[,CPU...]|any",
            description = {
                "CPUs of the sending thread, the reflecting or receiving thread, and further"
                        + " sending threads, in this order. any: the kernel places the threads"
                        + " (default: any; in the lab 0,1 if these threads invoke the drivers,"
                        + " like two hosts with one CPU each)."
            })
    private String affinity;

    @Option(
            names = "--server",
            paramLabel = "ADDRESS:PORT",
            description = {
                "Address of `verbus perf serve` on another host, which then runs the reflecting"
                        + " or receiving end at --remote (default: both ends run on this host)."
            })
    private String server = "";

    /**
     * Returns whether RDMA between local addresses is selected but this host has no RDMA device.
     */
    boolean needLab() {
        return server.isEmpty() && needDevice();
    }

    private boolean needDevice() {
        return transport == Wire.RDMA && Environment.rdmaDevices().isEmpty();
    }

    Wire transport() {
        return transport;
    }

    /**
     * Returns the message lengths to measure, in order; the default length if the user gives none.
     */
    List<Integer> lengths() {
        return lengths(List.of(DEFAULT_LENGTH));
    }

    /**
     * Returns the message lengths to measure, in order.
     *
     * @param otherwise lengths to measure if the user gives none.
     */
    List<Integer> lengths(List<Integer> otherwise) {
        return lengths == null ? otherwise : lengths;
    }

    /** Returns the message length, for measurements that take only one. */
    int length() {
        return only(lengths());
    }

    /** Returns the only element of the list, or fails. */
    int only(List<Integer> lengths) {
        if (lengths.size() != 1) {
            throw wrong("--length takes one number here, not " + lengths);
        }
        return lengths.getFirst();
    }

    /** Returns the maximum frame length in bytes. */
    int mtu() {
        return mtu;
    }

    /**
     * Returns the configured work.
     *
     * @param length message length in bytes.
     * @param load load to put on the bus.
     * @param messages number of messages to measure.
     * @param warmup number of messages to send before measuring.
     * @throws ParameterException if an option is wrong.
     */
    Work work(int length, Load load, long messages, long warmup) {
        WorkChecks.driverIdle(spec, driverIdle);
        WorkChecks.log(spec, mtu, termLength);
        check("--length", length, Work.MIN_LENGTH, mtu - Work.HEADER_LENGTH);
        check("--port", port, 1024, 65_532);
        checkAddresses();
        WorkChecks.messages(spec, messages, warmup);
        Threading mode = checkedThreading();
        return new Work(
                transport,
                checkedProcesses(),
                drivers == null ? Drivers.EMBEDDED : drivers,
                length,
                mtu,
                termLength,
                messages,
                warmup,
                checkedLoad(load),
                mode,
                idle,
                driverIdle,
                WorkChecks.address(spec, transport, "--local", local),
                WorkChecks.address(spec, transport, "--remote", remote),
                port,
                checkedAffinity(mode),
                checkedServer());
    }

    /** Rejects addresses over IPC, which would ignore them. */
    private void checkAddresses() {
        if (transport != Wire.IPC) {
            return;
        }
        for (String option : List.of("--local", "--remote", "--port")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw wrong(
                        option
                                + " has no effect over IPC, which uses shared memory: omit it, or"
                                + " choose --transport rdma or udp");
            }
        }
    }

    private String checkedServer() {
        if (server.isEmpty()) {
            return "";
        }
        if (transport == Wire.IPC) {
            throw wrong(
                    "--server names another host, which IPC cannot reach: choose --transport rdma"
                            + " or udp");
        }
        checkEmbeddedDrivers("--server works only with embedded drivers");
        try {
            Endpoint.parse(server);
        } catch (BusException ex) {
            throw wrong("--server: " + ex.getMessage());
        }
        return server;
    }

    private Load checkedLoad(Load load) {
        if (publications == Publications.EXCLUSIVE && load.publishers() > 1) {
            throw wrong(
                    "--publications exclusive allows only one sending thread, not --publishers "
                            + load.publishers()
                            + ": omit one of the two options");
        }
        return publications == null ? load : load.with(publications);
    }

    private String checkedAffinity(Threading mode) {
        if (affinity == null) {
            boolean isHostEach = Lab.isHere() && mode == Threading.INVOKER;
            return isHostEach && Runtime.getRuntime().availableProcessors() > 1 ? LAB_AFFINITY : "";
        }
        if (affinity.equals("any")) {
            return "";
        }
        if (!affinity.matches("\\d{1,4}(,\\d{1,4})*")) {
            throw wrong(
                    "--affinity takes CPU numbers (such as 2,3) or the word any, not"
                            + " '"
                            + affinity
                            + "'");
        }
        checkCpus();
        return affinity;
    }

    private void checkCpus() {
        BitSet allowed = CpuBinding.allowed();
        String[] cpus = affinity.split(",");
        for (int i = 0; i < cpus.length; i++) {
            boolean isHere = i != 1 || server.isEmpty();
            if (isHere && !allowed.get(Integer.parseInt(cpus[i]))) {
                throw wrong(
                        "--affinity names CPU "
                                + cpus[i]
                                + ", which this process may not use: choose from "
                                + allowed);
            }
        }
    }

    private Threading checkedThreading() {
        if (drivers == Drivers.OWN) {
            if (threading == Threading.INVOKER) {
                throw wrong(
                        "--threading invoker needs embedded drivers: omit --drivers own, or"
                                + " choose dedicated");
            }
            return threading == null ? Threading.DEDICATED : threading;
        }
        if (transport != Wire.IPC) {
            return threading == null ? Threading.INVOKER : threading;
        }
        if (threading == Threading.INVOKER) {
            throw wrong(
                    "--threading invoker needs one driver per end, but on IPC both share one:"
                            + " choose shared");
        }
        return threading == null ? Threading.SHARED : threading;
    }

    private int checkedProcesses() {
        if (processes == null) {
            return transport == Wire.IPC && drivers != Drivers.OWN ? 1 : 2;
        }
        check("--processes", processes, 1, 2);
        if (processes == 1 && drivers == Drivers.OWN) {
            throw wrong("--processes 1 embeds the driver: omit --processes or --drivers own");
        }
        if (processes == 1 && transport != Wire.IPC) {
            throw wrong(
                    "--processes 1 works only on IPC: omit it, because "
                            + transport
                            + " is measured between two processes, each with its own driver");
        }
        return processes;
    }

    /**
     * Rejects a second process.
     *
     * @param what start of the error message, such as "warmup starts".
     */
    void checkOneProcess(String what) {
        if (processes != null && processes != 1) {
            throw wrong(what + " one process: omit --processes");
        }
        checkEmbeddedDrivers(what + " one process");
    }

    /**
     * Selects drivers in separate processes, or fails if the user selected embedded ones.
     *
     * @param why reason, the start of the error message.
     */
    void needOwnDrivers(String why) {
        if (drivers == Drivers.EMBEDDED) {
            throw wrong(why + " and cannot be embedded: omit --drivers embedded");
        }
        drivers = Drivers.OWN;
    }

    /**
     * Rejects a second host.
     *
     * @param what start of the error message, such as "pauses are measured".
     */
    void checkOneHost(String what) {
        if (!server.isEmpty()) {
            throw wrong(what + " on one host: omit --server");
        }
    }

    /**
     * Rejects drivers in separate processes.
     *
     * @param what start of the error message.
     */
    void checkEmbeddedDrivers(String what) {
        if (drivers == Drivers.OWN) {
            throw wrong(what + ": omit --drivers");
        }
    }

    void check(String option, long value, long min, long max) {
        WorkChecks.range(spec, option, value, min, max);
    }

    ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
