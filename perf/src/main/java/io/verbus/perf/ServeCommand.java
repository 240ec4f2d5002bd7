// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.channel.Endpoint;
import io.verbus.perf.run.PerfServer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.Map;
import java.util.concurrent.Callable;

/** Runs the remote end of a measurement between two hosts. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description = {
            "Serves the commands `verbus perf rtt`, `throughput` and `compare` that run with"
                    + " --server on another host: runs the reflecting or receiving end and"
                    + " perftest's programs on this host, until interrupted.",
            "The other host cannot start any other program here."
        })
final class ServeCommand implements Callable<Integer> {
    @Option(
            names = "--listen",
            required = true,
            paramLabel = "ADDRESS:PORT",
            description = "IP address of this host and TCP port to listen on.")
    private String listen;

    @Option(
            names = "--for",
            required = true,
            paramLabel = "ADDRESS",
            description =
                    "Address from which the measuring host connects; connections from other"
                            + " addresses are rejected.")
    private String peer;

    @Override
    public Integer call() {
        PerfServer server = new PerfServer(Endpoint.parse(listen), peer, Map.of(), System.err);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "perf-server-end"));
        System.out.println("perf server ready: " + listen + " for " + peer);
        server.run();
        return 0;
    }
}
