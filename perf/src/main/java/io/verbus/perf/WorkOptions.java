// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Load.Publications;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Drivers;
import io.verbus.perf.load.Work.Idle;
import io.verbus.perf.load.Work.Threading;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.report.Environment;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

import java.util.List;

/** Options that say what is measured, common to all commands. */
final class WorkOptions {
    static final int DEFAULT_LENGTH = 32;

    /** Of the lab's two ends: each sends where the other's packets are handled. */
    private static final String LAB_AFFINITY = "0,1";

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--transport",
            paramLabel = "ipc|udp|rdma",
            description = "What carries the messages (default: ${DEFAULT-VALUE}).")
    private Wire transport = Wire.IPC;

    @Option(
            names = "--processes",
            paramLabel = "1|2",
            description = {
                "Processes of the two ends (default: 1 on IPC, where 2 share the driver of the one"
                        + " that reflects or receives; 2 otherwise, each with its own driver)."
            })
    private Integer processes;

    @Option(
            names = "--drivers",
            paramLabel = "embedded|own",
            description = {
                "Where the drivers are: embedded in the processes of the ends; or own: in processes"
                        + " of their own, one on IPC and two otherwise, beside two of the ends,"
                        + " with --threading dedicated by default (default: embedded; own with"
                        + " --peer aeron-c)."
            })
    private Drivers drivers;

    @Option(
            names = "--publications",
            paramLabel = "exclusive|concurrent",
            description = {
                "Kind of the publications (default: exclusive; concurrent where several threads"
                        + " send)."
            })
    private Publications publications;

    @Option(
            names = "--length",
            paramLabel = "BYTES",
            split = ",",
            description = {
                "Length of a message, or several with commas between, one after the other (default:"
                        + " 32). 32, 288 and 1344 are the lengths that the field publishes."
            })
    private List<Integer> lengths;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            description = "Longest frame, header included (default: ${DEFAULT-VALUE}).")
    private int mtu = 1408;

    @Option(
            names = "--term-length",
            paramLabel = "BYTES",
            description = "Of every log (default: ${DEFAULT-VALUE}).")
    private int termLength = 16 * 1024 * 1024;

    @Option(
            names = "--threading",
            paramLabel = "MODE",
            description = {
                "Threading of the drivers: invoker, shared, shared_network, dedicated (default:"
                        + " shared on IPC; invoker otherwise, where the thread that sends or"
                        + " reflects drives its process's driver; dedicated with --drivers own)."
            })
    private Threading threading;

    @Option(
            names = "--idle",
            paramLabel = "STRATEGY",
            description = {
                "Of the threads that send and reflect: busy_spin, noop, yield, backoff, sleep"
                        + " (default: ${DEFAULT-VALUE})."
            })
    private Idle idle = Idle.BUSY_SPIN;

    @Option(
            names = "--driver-idle",
            paramLabel = "STRATEGY",
            description =
                    "Of the drivers' own threads (default: ${DEFAULT-VALUE}). Where they back off,"
                            + " a sender or receiver of Verbus with a thread of its own yields"
                            + " for longer before it parks.")
    private Idle driverIdle = Idle.BACKOFF;

    @Option(
            names = "--local",
            paramLabel = "ADDRESS",
            description = {
                "Of the end that sends (default: VERBUS_LAB_ADDR1; on UDP else 127.0.0.1)."
            })
    private String local = WorkChecks.environment("VERBUS_LAB_ADDR1");

    @Option(
            names = "--remote",
            paramLabel = "ADDRESS",
            description = {
                "Of the end that reflects, on this host too unless there is a --server (default:"
                        + " VERBUS_LAB_ADDR2; on UDP else 127.0.0.1)."
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
                "CPU of the thread that sends, then of the one that reflects or receives, then of"
                        + " further ones that send; or any: where the kernel puts them (default:"
                        + " any; in the lab 0,1 where these threads drive the drivers, like two"
                        + " hosts with a CPU each)."
            })
    private String affinity;

    @Option(
            names = "--server",
            paramLabel = "ADDRESS:PORT",
            description = {
                "Where `verbus perf serve` listens on another host, which then has the end that"
                    + " reflects or receives, at --remote (default: both ends are on this host)."
            })
    private String server = "";

    /** Whether it takes an RDMA device, and this host has none. */
    boolean needLab() {
        return server.isEmpty() && needDevice();
    }

    private boolean needDevice() {
        return transport == Wire.RDMA && Environment.rdmaDevices().isEmpty();
    }

    /** What carries the messages. */
    Wire transport() {
        return transport;
    }

    /** Lengths of messages that were asked for, in order. */
    List<Integer> lengths() {
        return lengths(List.of(DEFAULT_LENGTH));
    }

    /**
     * As above.
     *
     * @param otherwise lengths to measure where none was asked for.
     */
    List<Integer> lengths(List<Integer> otherwise) {
        return lengths == null ? otherwise : lengths;
    }

    /** The one length that was asked for, where only one can be. */
    int length() {
        return only(lengths());
    }

    /** The one of several lengths, where only one can be. */
    int only(List<Integer> lengths) {
        if (lengths.size() != 1) {
            throw wrong("--length takes one number here, not " + lengths);
        }
        return lengths.getFirst();
    }

    /** Longest frame in bytes. */
    int mtu() {
        return mtu;
    }

    /**
     * The work that was asked for.
     *
     * @param length of a message.
     * @param load that is put on the bus.
     * @param messages to measure.
     * @param warmup messages before.
     * @throws ParameterException that names what is wrong.
     */
    Work work(int length, Load load, long messages, long warmup) {
        WorkChecks.log(spec, mtu, termLength);
        check("--length", length, Work.MIN_LENGTH, mtu - Work.HEADER_LENGTH);
        check("--port", port, 1024, 65_532);
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

    private String checkedServer() {
        if (server.isEmpty()) {
            return "";
        }
        if (transport == Wire.IPC) {
            throw wrong("--server is another host, which IPC does not reach: add --transport");
        }
        checkEmbeddedDrivers("--server is measured with drivers in the processes of the ends");
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
                    "--publications exclusive is of one thread that sends, not of --publishers "
                            + load.publishers()
                            + ": leave one of them out");
        }
        return publications == null ? load : load.with(publications);
    }

    private String checkedAffinity(Threading mode) {
        if (affinity == null) {
            boolean isHostEach = Environment.isLab() && mode == Threading.INVOKER;
            return isHostEach && Runtime.getRuntime().availableProcessors() > 1 ? LAB_AFFINITY : "";
        }
        if (affinity.equals("any")) {
            return "";
        }
        if (!affinity.matches("\\d{1,4}(,\\d{1,4})*")) {
            throw wrong(
                    "--affinity takes numbers of CPUs, such as 2,3, or any, not '"
                            + affinity
                            + "'");
        }
        return affinity;
    }

    private Threading checkedThreading() {
        if (drivers == Drivers.OWN) {
            if (threading == Threading.INVOKER) {
                throw wrong(
                        "--threading invoker needs a driver in the process of each end: leave"
                                + " --drivers own out, or choose dedicated");
            }
            return threading == null ? Threading.DEDICATED : threading;
        }
        if (transport != Wire.IPC) {
            return threading == null ? Threading.INVOKER : threading;
        }
        if (threading == Threading.INVOKER) {
            throw wrong(
                    "--threading invoker needs a driver for each end, but on IPC they share one:"
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
            throw wrong("--processes 1 has its driver in it: leave it or --drivers own out");
        }
        if (processes == 1 && transport != Wire.IPC) {
            throw wrong(
                    "--processes 1 is of IPC only: "
                            + transport
                            + " is measured between two processes, each with its own driver");
        }
        return processes;
    }

    /**
     * Refuses several processes where only one is measured.
     *
     * @param what is measured.
     */
    void checkOneProcess(String what) {
        if (processes != null && processes != 1) {
            throw wrong(what + " one process: leave --processes out");
        }
        checkEmbeddedDrivers(what + " one process");
    }

    /**
     * Has drivers in processes of their own, and refuses embedded ones.
     *
     * @param why they are not embedded.
     */
    void needOwnDrivers(String why) {
        if (drivers == Drivers.EMBEDDED) {
            throw wrong(why + ", which no process embeds: leave --drivers embedded out");
        }
        drivers = Drivers.OWN;
    }

    /**
     * Refuses another host.
     *
     * @param what is measured.
     */
    void checkOneHost(String what) {
        if (!server.isEmpty()) {
            throw wrong(what + " on one host: leave --server out");
        }
    }

    /**
     * Refuses drivers in processes of their own.
     *
     * @param what is measured.
     */
    void checkEmbeddedDrivers(String what) {
        if (drivers == Drivers.OWN) {
            throw wrong(what + ": leave --drivers out");
        }
    }

    void check(String option, long value, long min, long max) {
        WorkChecks.range(spec, option, value, min, max);
    }

    ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
