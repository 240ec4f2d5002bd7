// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.channel.Endpoint;
import io.verbus.perf.run.PerfServer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.Map;
import java.util.concurrent.Callable;

/** The other host of a measurement between two. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description = {
            "Runs, until it is interrupted, what `verbus perf rtt`, throughput and compare on"
                + " another host need on this one, there with --server: the end that reflects or"
                + " receives, and perftest's programs.",
            "Who connects from that host can start these, and nothing else."
        })
final class ServeCommand implements Callable<Integer> {
    @Option(
            names = "--listen",
            required = true,
            paramLabel = "ADDRESS:PORT",
            description = "An address of this host, and a TCP port.")
    private String listen;

    @Option(
            names = "--for",
            required = true,
            paramLabel = "ADDRESS",
            description =
                    "Of the host that measures, from which it connects; no other is answered.")
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
