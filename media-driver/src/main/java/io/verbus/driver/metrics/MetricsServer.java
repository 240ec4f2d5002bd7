// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.driver.metrics.HttpConnections.Answer;
import io.verbus.driver.status.DriverFailure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Serves {@code /metrics}, {@code /healthz} and {@code /readyz} of a driver over HTTP. Its threads
 * only read the driver's CnC file, and only during requests; they are virtual, one per request.
 */
public final class MetricsServer implements AutoCloseable {
    private static final String PLAIN = "text/plain; charset=utf-8";

    private final DriverWatch watch;
    private final DriverFailure failure;
    private final PrometheusText metrics = new PrometheusText();
    private final HttpConnections connections;

    /**
     * Starts listening and answering.
     *
     * @param address address to listen at; port 0 selects a free port.
     * @param watch observes the driver; closed with the server, or if the server cannot listen.
     * @param failure failure of the driver if it runs in this process; receives errors of the
     *     server.
     * @throws BusException if the address is not local, or the port is in use.
     */
    public MetricsServer(Endpoint address, DriverWatch watch, DriverFailure failure) {
        this.watch = watch;
        this.failure = failure;
        InetSocketAddress local = new InetSocketAddress(address.host(), address.port());
        if (local.isUnresolved()) {
            watch.close();
            throw new BusException(
                    "cannot serve metrics at "
                            + address
                            + ", because the host name cannot be resolved: use an address of this"
                            + " host");
        }
        try {
            connections =
                    new HttpConnections(
                            local, this::answer, InetAddress::isLoopbackAddress, failure::fail);
        } catch (IOException e) {
            watch.close();
            throw new BusException(
                    "cannot serve metrics at "
                            + address
                            + " ("
                            + e.getMessage()
                            + "): use an address of this host and a free port, or stop the process"
                            + " that listens there",
                    e);
        }
    }

    /** Returns the address at which the server listens, with the actual port. */
    public Endpoint address() {
        InetSocketAddress bound = connections.address();
        return new Endpoint(bound.getAddress().getHostAddress(), bound.getPort());
    }

    private Answer answer(String method, String path) {
        if (!method.equals("GET") && !method.equals("HEAD")) {
            return new Answer(
                    405,
                    "Method Not Allowed",
                    PLAIN,
                    "Allow: GET, HEAD\r\n",
                    "only GET and HEAD are supported\n");
        }
        return switch (path) {
            case "/metrics" -> ok(PrometheusText.CONTENT_TYPE, watch.look(metrics::of));
            case "/healthz" -> watch.look(this::health);
            case "/readyz" -> watch.look(MetricsServer::readiness);
            default ->
                    new Answer(
                            404,
                            "Not Found",
                            PLAIN,
                            "",
                            "not found; available: /metrics, /healthz and /readyz\n");
        };
    }

    private static Answer ok(String type, String text) {
        return new Answer(200, "OK", type, "", text);
    }

    private static Answer unavailable(String text) {
        return new Answer(503, "Service Unavailable", PLAIN, "", text);
    }

    private Answer health(DriverWatch.Look look) {
        if (failure.error() != null) {
            return unavailable("the driver has failed: " + failure.error() + "\n");
        }
        return look.isAlive()
                ? ok(PLAIN, "the driver's last heartbeat was " + look.ageMs() + " ms ago\n")
                : unavailable(look.failure() + "\n");
    }

    private static Answer readiness(DriverWatch.Look look) {
        List<String> lacks = Readiness.lacks(look);
        return lacks.isEmpty()
                ? ok(PLAIN, "the driver is ready\n")
                : unavailable(String.join("\n", lacks) + "\n");
    }

    /** Stops listening and answering. */
    @Override
    public void close() {
        connections.close();
        watch.close();
    }
}
