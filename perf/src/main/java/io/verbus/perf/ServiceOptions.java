// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Drivers;
import io.verbus.perf.load.Work.Idle;
import io.verbus.perf.load.Work.Threading;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.report.Environment;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options for measuring Aeron Archive or Aeron Cluster on Verbus and Aeron drivers. */
final class ServiceOptions {
    private static final int MAX_PAIRS = 1000;

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--transport",
            paramLabel = "rdma|udp",
            description = {
                "Transport between the hosts. rdma: measures Verbus' drivers over RDMA, Verbus'"
                    + " drivers over UDP, and Aeron's drivers over UDP, all between the same two"
                    + " addresses. udp: measures only the last two (default: ${DEFAULT-VALUE})."
            })
    private Wire transport = Wire.RDMA;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = {
                "Number of times to measure each combination of drivers and transport, in new"
                        + " processes; the order rotates (default:"
                        + " ${DEFAULT-VALUE})."
            })
    private int pairs = 3;

    @Option(
            names = "--length",
            paramLabel = "BYTES",
            description = "Message length in bytes (default: ${DEFAULT-VALUE}).")
    private int length = 288;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            description = "Maximum frame length, including the header (default: ${DEFAULT-VALUE}).")
    private int mtu = 1408;

    @Option(
            names = "--term-length",
            paramLabel = "BYTES",
            description = "Term length of the logs between hosts (default: ${DEFAULT-VALUE}).")
    private int termLength = 4 * 1024 * 1024;

    @Option(
            names = "--threading",
            paramLabel = "MODE",
            description =
                    "Threading mode of the drivers: shared, shared_network, dedicated (default:"
                            + " ${DEFAULT-VALUE}).")
    private Threading threading = Threading.SHARED;

    @Option(
            names = "--idle",
            paramLabel = "STRATEGY",
            description =
                    "Idle strategy of the sending thread: busy_spin, noop, yield, backoff, agrona,"
                            + " sleep (default: ${DEFAULT-VALUE}).")
    private Idle idle = Idle.BACKOFF;

    @Option(
            names = "--driver-idle",
            paramLabel = "STRATEGY",
            description =
                    "Idle strategy of the threads of drivers, archives, consensus modules and"
                            + " services (default: ${DEFAULT-VALUE}).")
    private Idle driverIdle = Idle.BACKOFF;

    @Option(
            names = "--local",
            paramLabel = "ADDRESS",
            description =
                    "Address of the client (default: the value of VERBUS_LAB_ADDR1; if it is not"
                            + " set, 127.0.0.1 with --transport udp).")
    private String local = WorkChecks.environment("VERBUS_LAB_ADDR1");

    @Option(
            names = "--remote",
            paramLabel = "ADDRESS",
            description =
                    "Address of the archive or the cluster leader, which also runs on this host"
                            + " (default: the value of VERBUS_LAB_ADDR2; if it is not set,"
                            + " 127.0.0.1 with --transport udp).")
    private String remote = WorkChecks.environment("VERBUS_LAB_ADDR2");

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "First of 100 ports to use (default: ${DEFAULT-VALUE}).")
    private int port = 20_600;

    @Mixin private ReportOptions report;

    /** Returns whether RDMA is selected but this host has no RDMA device. */
    boolean needLab() {
        return transport == Wire.RDMA && Environment.rdmaDevices().isEmpty();
    }

    /** Returns the transport of channels between hosts. */
    Wire transport() {
        return transport;
    }

    /** Returns how many times to measure each. */
    int pairs() {
        return pairs;
    }

    /** Returns the report of the command. */
    ReportOptions report() {
        return report;
    }

    /** Checks the options that do not depend on the measurement. */
    void check() {
        if (transport == Wire.IPC) {
            throw wrong("--transport takes rdma or udp, not ipc: the channels connect two hosts");
        }
        if (threading == Threading.INVOKER) {
            throw wrong("--threading takes shared, shared_network or dedicated, not invoker");
        }
        check("--pairs", pairs, 1, MAX_PAIRS);
        WorkChecks.driverIdle(spec, driverIdle);
        WorkChecks.log(spec, mtu, termLength);
        check("--length", length, Work.MIN_LENGTH, mtu - 2 * Work.HEADER_LENGTH);
        check("--port", port, 1024, 65_435);
    }

    /**
     * Returns the configured work.
     *
     * @param processes number of processes that do the work.
     * @param load load to apply.
     * @param messages number of messages to measure.
     * @param warmup number of messages to send before measuring.
     */
    Work work(int processes, Load load, long messages, long warmup) {
        WorkChecks.messages(spec, messages, warmup);
        return new Work(
                transport,
                processes,
                Drivers.EMBEDDED,
                length,
                mtu,
                termLength,
                messages,
                warmup,
                load,
                threading,
                idle,
                driverIdle,
                WorkChecks.address(spec, transport, "--local", local),
                WorkChecks.address(spec, transport, "--remote", remote),
                port,
                "");
    }

    private void check(String option, long value, long min, long max) {
        WorkChecks.range(spec, option, value, min, max);
    }

    ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
