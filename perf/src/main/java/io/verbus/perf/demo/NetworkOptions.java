// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Options of a demo that uses a network. */
public final class NetworkOptions {
    private static final int MAX_TIMEOUT_S = 86_400;

    @Option(
            names = "--transport",
            paramLabel = "rdma|udp",
            description = "Transport of the channels (default: ${DEFAULT-VALUE}).")
    private String media = DemoTransport.RDMA.media();

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Time limit for the whole run (default: ${DEFAULT-VALUE}).")
    private int timeoutS = 600;

    @Option(
            names = "--from",
            paramLabel = "ADDRESS",
            description = "Address of an RDMA device or network interface; needs --to.")
    private String from;

    @Option(
            names = "--to",
            paramLabel = "ADDRESS",
            description =
                    "Address of another RDMA device or network interface of this host, or the"
                            + " same address; needs --from.")
    private String to;

    private DemoTransport transport;

    /**
     * Checks the options.
     *
     * @throws ParameterException if an option is wrong.
     */
    public void check(CommandSpec spec) {
        transport =
                DemoTransport.parse(media)
                        .filter(named -> named != DemoTransport.IPC)
                        .orElseThrow(
                                () ->
                                        new ParameterException(
                                                spec.commandLine(),
                                                "--transport takes rdma or udp, not " + media));
        check(spec, "--timeout", timeoutS, 1, MAX_TIMEOUT_S);
        if ((from == null) != (to == null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--from needs --to and vice versa: give both options or neither");
        }
    }

    /** Checks that a number is in range. */
    public static void check(CommandSpec spec, String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(
                    spec.commandLine(),
                    option + " takes a number from " + min + " to " + max + ", not " + value);
        }
    }

    /** Returns the network to use on this host; null if the demo must run in the lab. */
    public DemoNetwork network() throws DemoException {
        return DemoNetwork.find(transport, from, to);
    }

    /** Returns the time limit of the run in nanoseconds. */
    public long limitNs() {
        return TimeUnit.SECONDS.toNanos(timeoutS);
    }

    /**
     * Runs the same demo in the lab.
     *
     * @param options options of the lab.
     * @param command words after {@code verbus}.
     * @return the command's exit status.
     */
    public int runInLab(List<String> options, List<String> command)
            throws DemoException, InterruptedException {
        List<String> words = new ArrayList<>(command);
        words.add("--transport=" + media);
        words.add("--timeout=" + timeoutS);
        return DemoLab.run(timeoutS, options, words);
    }
}
