// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.cnc.CncFile;
import io.verbus.driver.agent.EndSignals;
import io.verbus.driver.metrics.DriverWatch;
import io.verbus.driver.metrics.MetricsServer;
import io.verbus.driver.metrics.PrometheusText;
import io.verbus.driver.status.DriverFailure;
import io.verbus.memory.JvmFlags;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/**
 * {@code verbus metrics}: prints a driver's metrics for Prometheus once, or serves them over HTTP.
 */
@Command(
        name = "metrics",
        description = {
            "Prints the metrics of a running Verbus or Aeron driver in Prometheus' text format.",
            "With --listen, serves the metrics over HTTP until SIGTERM or SIGINT, whether or not a"
                + " driver runs: /metrics, /healthz (200 while the driver sends heartbeats, else"
                + " 503) and /readyz (200 while its devices and listeners are also up)."
        },
        mixinStandardHelpOptions = true)
final class MetricsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description =
                    "address of this host to listen on; with port 0 the system chooses a free port")
    private String listen;

    @Override
    public Integer call() throws InterruptedException {
        JvmFlags.check();
        PrintWriter out = spec.commandLine().getOut();
        if (listen != null) {
            serve(out);
        } else {
            print(out);
        }
        return 0;
    }

    private void print(PrintWriter out) {
        try (CncFile cnc = directory.map()) {
            directory.checkRunning(cnc);
        }
        try (DriverWatch watch = watch()) {
            out.print(watch.look(new PrometheusText()::of));
            out.flush();
        }
    }

    private void serve(PrintWriter out) throws InterruptedException {
        Endpoint address;
        try {
            address = Endpoint.parse(listen);
        } catch (BusException e) {
            throw new ParameterException(spec.commandLine(), "--listen: " + e.getMessage(), e);
        }
        CountDownLatch end = new CountDownLatch(1);
        EndSignals.handle(end::countDown);
        try (MetricsServer server = new MetricsServer(address, watch(), new DriverFailure())) {
            out.println("verbus metrics serves http://" + server.address() + "/metrics");
            out.flush();
            end.await();
        }
    }

    private DriverWatch watch() {
        return new DriverWatch(directory.directory(), directory.trust());
    }
}
