// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.perf.report.Environment;
import io.verbus.perf.rtt.Work;
import io.verbus.perf.rtt.Work.Idle;
import io.verbus.perf.rtt.Work.Threading;
import io.verbus.perf.rtt.Work.Wire;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options that say what is measured, common to all commands. */
final class WorkOptions {
    private static final long MAX_MESSAGES = 1_000_000_000_000L;
    private static final long MAX_RATE = 100_000_000;
    private static final long IPC_MESSAGES = 1_000_000;
    private static final long UDP_MESSAGES = 200_000;
    private static final long RDMA_MESSAGES = 20_000;
    private static final String LOOPBACK = "127.0.0.1";
    private static final int FRAME_ALIGNMENT = 32;
    private static final int MAX_MTU = 65_504;

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--transport",
            paramLabel = "ipc|udp|rdma",
            description = "What carries the messages (default: ${DEFAULT-VALUE}).")
    private Wire transport = Wire.IPC;

    @Option(
            names = "--length",
            paramLabel = "BYTES",
            description = "Length of a message (default: ${DEFAULT-VALUE}).")
    private int length = 32;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = {
                "How many are measured (default: 1000000 on IPC, 200000 on UDP, 20000 on RDMA)."
            })
    private Long messages;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "How many are sent before, unmeasured (default: half of --messages).")
    private Long warmup;

    @Option(
            names = "--rate",
            paramLabel = "R|max",
            description = {
                "Messages a second, each measured from the time it was due; or max (the default):"
                        + " each is sent when the echo of the one before has arrived."
            })
    private String rate = "max";

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
                        + " reflects drives its process's driver)."
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
            description = "Of the drivers' own threads (default: ${DEFAULT-VALUE}).")
    private Idle driverIdle = Idle.BACKOFF;

    @Option(
            names = "--local",
            paramLabel = "ADDRESS",
            description = {
                "Of the end that sends (default: VERBUS_LAB_ADDR1; on UDP else 127.0.0.1)."
            })
    private String local = environment("VERBUS_LAB_ADDR1");

    @Option(
            names = "--remote",
            paramLabel = "ADDRESS",
            description = {
                "Of the end that reflects, on this host too (default: VERBUS_LAB_ADDR2; on UDP else"
                        + " 127.0.0.1)."
            })
    private String remote = environment("VERBUS_LAB_ADDR2");

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "First of four ports to use (default: ${DEFAULT-VALUE}).")
    private int port = 20_410;

    /** Whether it takes an RDMA device, and this host has none. */
    boolean needLab() {
        return transport == Wire.RDMA && Environment.rdmaDevices().isEmpty();
    }

    /**
     * The work that was asked for.
     *
     * @throws ParameterException that names what is wrong.
     */
    Work work() {
        check("--mtu", mtu, 64, MAX_MTU);
        if (mtu % FRAME_ALIGNMENT != 0) {
            throw wrong("--mtu takes a multiple of 32, not " + mtu);
        }
        check("--length", length, Work.MIN_LENGTH, mtu - Work.HEADER_LENGTH);
        check("--port", port, 1024, 65_532);
        long count = messages != null ? messages : defaultMessages();
        check("--messages", count, 1, MAX_MESSAGES);
        long before = warmup != null ? warmup : count / 2;
        check("--warmup", before, 0, MAX_MESSAGES);
        try {
            LogLayout.checkTermLength(termLength);
        } catch (BusException ex) {
            throw wrong("--term-length: " + ex.getMessage());
        }
        return new Work(
                transport,
                length,
                mtu,
                termLength,
                count,
                before,
                parseRate(),
                checkedThreading(),
                idle,
                driverIdle,
                checkedAddress("--local", local),
                checkedAddress("--remote", remote),
                port);
    }

    private long defaultMessages() {
        return switch (transport) {
            case IPC -> IPC_MESSAGES;
            case UDP -> UDP_MESSAGES;
            case RDMA -> RDMA_MESSAGES;
        };
    }

    private Threading checkedThreading() {
        if (transport != Wire.IPC) {
            return threading == null ? Threading.INVOKER : threading;
        }
        if (threading == Threading.INVOKER) {
            throw wrong(
                    "--threading invoker needs one thread a process, but IPC is measured between"
                            + " two threads of one: choose shared");
        }
        return threading == null ? Threading.SHARED : threading;
    }

    private String checkedAddress(String option, String address) {
        if (transport == Wire.IPC) {
            return "";
        }
        if (address.isEmpty() && transport == Wire.UDP) {
            return LOOPBACK;
        }
        if (address.isEmpty()) {
            throw wrong(
                    option
                            + " is missing: give the IP address of an RDMA device's interface, as"
                            + " `rdma link` and `ip address` show them");
        }
        return address;
    }

    private long parseRate() {
        if (rate.equals("max")) {
            return Work.ONE_AT_A_TIME;
        }
        try {
            long number = Long.parseLong(rate);
            check("--rate", number, 1, MAX_RATE);
            return number;
        } catch (NumberFormatException ex) {
            throw wrong("--rate takes messages a second or max, not '" + rate + "'");
        }
    }

    private void check(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw wrong(option + " takes a number from " + min + " to " + max + ", not " + value);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static String environment(String name) {
        String value = System.getenv(name);
        return value == null ? "" : value;
    }
}
