// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.driver.status.DriverFailure;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves {@code /metrics}, {@code /healthz} and {@code /readyz} of a driver by HTTP. Its threads
 * read the driver's CnC file only, while something is asked for; they are virtual, and as many as
 * there are requests.
 */
public final class MetricsServer implements AutoCloseable {
    /** Who does not ask, or does not read the answer, within so many seconds is cut off. */
    private static final String MAX_REQUEST_SECONDS = "5";

    private static final String MAX_ANSWER_SECONDS = "10";

    /** Each costs a descriptor, and a virtual thread while its request is read and answered. */
    private static final String MAX_CONNECTIONS = "1024";

    private static final int BACKLOG = 128;

    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int METHOD_NOT_ALLOWED = 405;
    private static final int UNAVAILABLE = 503;

    private static final String PLAIN = "text/plain; charset=utf-8";

    static { // read once by the JDK's server, whose only settings these are
        preset("sun.net.httpserver.maxReqTime", MAX_REQUEST_SECONDS);
        preset("sun.net.httpserver.maxRspTime", MAX_ANSWER_SECONDS);
        preset("jdk.httpserver.maxConnections", MAX_CONNECTIONS);
    }

    private static void preset(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    private record Answer(int status, String type, String text) {}

    private final DriverWatch watch;
    private final DriverFailure failure;
    private final PrometheusText metrics = new PrometheusText();
    private final HttpServer server;
    private final ExecutorService executor;

    /**
     * Listens, and answers from now on.
     *
     * @param address to listen at; the port 0 takes a free one.
     * @param watch of the driver; closed with the server, and if it cannot listen.
     * @param failure of the driver, if it is one of this process; told of errors of the server.
     * @throws BusException if the address is not this host's, or the port is in use.
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
                            + ", as the host name is unknown: name an address of this host");
        }
        try {
            server = HttpServer.create(local, BACKLOG);
        } catch (IOException e) {
            watch.close();
            throw new BusException(
                    "cannot serve metrics at "
                            + address
                            + " ("
                            + e.getMessage()
                            + "): name an address of this host and a free port, or stop what"
                            + " listens there",
                    e);
        }
        // A client that is slow to ask or to read keeps a thread, but no other from an answer.
        executor =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("verbus-metrics-", 1).factory());
        server.setExecutor(executor);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Where it listens, with the port that was really bound. */
    public Endpoint address() {
        InetSocketAddress bound = server.getAddress();
        return new Endpoint(bound.getAddress().getHostAddress(), bound.getPort());
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer = answer(exchange);
            byte[] body = answer.text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", answer.type);
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(answer.status, -1);
            } else {
                exchange.sendResponseHeaders(answer.status, body.length);
                exchange.getResponseBody().write(body);
            }
        } catch (Error e) {
            failure.fail(e);
            throw e;
        }
    }

    private Answer answer(HttpExchange exchange) {
        String method = exchange.getRequestMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            return new Answer(METHOD_NOT_ALLOWED, PLAIN, "only GET and HEAD are answered\n");
        }
        return switch (exchange.getRequestURI().getPath()) {
            case "/metrics" -> new Answer(OK, PrometheusText.CONTENT_TYPE, watch.look(metrics::of));
            case "/healthz" -> watch.look(this::health);
            case "/readyz" -> watch.look(MetricsServer::readiness);
            default ->
                    new Answer(NOT_FOUND, PLAIN, "there are /metrics, /healthz and /readyz here\n");
        };
    }

    private Answer health(DriverWatch.Look look) {
        if (failure.error() != null) {
            return new Answer(
                    UNAVAILABLE, PLAIN, "the driver has failed: " + failure.error() + "\n");
        }
        return look.isAlive()
                ? new Answer(OK, PLAIN, "the driver's heart beat " + look.ageMs() + " ms ago\n")
                : new Answer(UNAVAILABLE, PLAIN, look.failure() + "\n");
    }

    private static Answer readiness(DriverWatch.Look look) {
        List<String> lacks = Readiness.lacks(look);
        return lacks.isEmpty()
                ? new Answer(OK, PLAIN, "the driver is ready\n")
                : new Answer(UNAVAILABLE, PLAIN, String.join("\n", lacks) + "\n");
    }

    /** Stops to listen, and answers nothing more. */
    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
        watch.close();
    }
}
