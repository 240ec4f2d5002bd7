// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * An HTTP port that answers one request per connection, and then closes the connection. So that no
 * client blocks another, the number of connections is limited, in total and per address, and
 * connections that are idle, send incomplete requests or do not read are closed after a time-out.
 */
final class HttpConnections implements AutoCloseable {
    /** Maximum number of concurrent connections. */
    static final int MAX = 1024;

    /** Maximum number of concurrent connections per address. */
    static final int MAX_OF_ADDRESS = 64;

    /**
     * Number of connections reserved for trusted addresses, to which MAX_OF_ADDRESS does not apply.
     */
    static final int RESERVED = 128;

    private static final long REQUEST_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int LOOK_MS = 250;
    private static final int BACKLOG = 128;
    private static final int MAX_HEAD = 8192;

    /** Maximum number of body bytes to read and ignore, so that the client reads the answer. */
    private static final int MAX_BODY = 64 * 1024;

    /**
     * An HTTP response.
     *
     * @param headers additional header lines, each ending with CR and LF.
     */
    record Answer(int status, String reason, String type, String headers, String text) {}

    /** Answers requests. Thread-safe. */
    interface Pages {
        /**
         * Answers a request.
         *
         * @param method method, such as {@code GET}.
         * @param path path without query.
         */
        Answer answer(String method, String path);
    }

    private static final class Connection {
        final Socket socket;

        /** Written by the serving thread; read by the accepting thread. */
        volatile long deadlineNs;

        Connection(Socket socket, long deadlineNs) {
            this.socket = socket;
            this.deadlineNs = deadlineNs;
        }
    }

    private final ServerSocket server;
    private final Pages pages;
    private final Predicate<InetAddress> isTrusted;
    private final Consumer<Error> failure;
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();

    /** Number of connections by address. Guarded by itself. */
    private final Map<InetAddress, Integer> counts = new HashMap<>();

    /**
     * Starts listening and answering.
     *
     * @param local address to listen at.
     * @param isTrusted selects addresses for which only the total is limited.
     * @param failure receives errors that end the driver.
     * @throws IOException if it cannot listen there.
     */
    HttpConnections(
            InetSocketAddress local,
            Pages pages,
            Predicate<InetAddress> isTrusted,
            Consumer<Error> failure)
            throws IOException {
        this.pages = pages;
        this.isTrusted = isTrusted;
        this.failure = failure;
        server = new ServerSocket(local.getPort(), BACKLOG, local.getAddress());
        server.setSoTimeout(LOOK_MS);
        Thread.ofPlatform().daemon().name("verbus-metrics").start(this::run);
    }

    /** Returns the address at which the server listens. */
    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private void run() {
        try {
            while (!server.isClosed()) {
                accept();
                cutOff(System.nanoTime());
            }
        } catch (Error e) {
            failure.accept(e);
        }
    }

    private void accept() {
        try {
            Socket socket = server.accept();
            if (take(socket.getInetAddress())) {
                Connection connection = new Connection(socket, System.nanoTime() + REQUEST_NS);
                open.add(connection);
                Thread.ofVirtual().name("verbus-metrics").start(() -> serve(connection));
            } else {
                // Resets the connection on close, so that no state lingers.
                socket.setSoLinger(true, 0);
                socket.close();
            }
        } catch (SocketTimeoutException e) {
            // The timeout lets the caller check late connections.
        } catch (IOException e) {
            // The port was closed, or descriptors are temporarily exhausted.
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private boolean take(InetAddress address) {
        synchronized (counts) {
            int all = open.size();
            int own = counts.getOrDefault(address, 0);
            boolean isAdmitted =
                    isTrusted.test(address)
                            ? all < MAX
                            : all < MAX - RESERVED && own < MAX_OF_ADDRESS;
            if (isAdmitted) {
                counts.put(address, own + 1);
            }
            return isAdmitted;
        }
    }

    private void giveBack(Connection connection) {
        synchronized (counts) {
            open.remove(connection);
            counts.computeIfPresent(
                    connection.socket.getInetAddress(),
                    (address, count) -> count == 1 ? null : count - 1);
        }
    }

    private void cutOff(long nowNs) {
        for (Connection each : open) {
            if (nowNs - each.deadlineNs >= 0) {
                close(each.socket);
            }
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Already closed.
        }
    }

    private void serve(Connection connection) {
        try (Socket socket = connection.socket) {
            String head = head(socket.getInputStream());
            if (head != null) {
                connection.deadlineNs = System.nanoTime() + ANSWER_NS;
                answer(socket, head);
            }
        } catch (IOException e) {
            // The client has gone, or was cut off.
        } catch (Error e) {
            failure.accept(e);
        } finally {
            giveBack(connection);
        }
    }

    /** Returns the lines of a request before its body; null if they do not arrive. */
    private static String head(InputStream in) throws IOException {
        byte[] bytes = new byte[MAX_HEAD];
        int length = 0;
        while (length < MAX_HEAD) {
            int count = in.read(bytes, length, MAX_HEAD - length);
            if (count < 0) {
                return null;
            }
            length += count;
            String head = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
            if (head.contains("\r\n\r\n") || head.contains("\n\n")) {
                return head;
            }
        }
        return new String(bytes, StandardCharsets.ISO_8859_1); // the request line is enough
    }

    private void answer(Socket socket, String head) throws IOException {
        String[] words = head.lines().findFirst().orElse("").split(" ");
        boolean isRequest = words.length == 3 && words[2].startsWith("HTTP/1.");
        Answer answer =
                isRequest
                        ? page(words[0], path(words[1]))
                        : new Answer(
                                400,
                                "Bad Request",
                                "text/plain",
                                "",
                                "the request is not valid HTTP/1.1\n");
        byte[] body = answer.text.getBytes(StandardCharsets.UTF_8);
        String lines =
                "HTTP/1.1 "
                        + answer.status
                        + ' '
                        + answer.reason
                        + "\r\nDate: "
                        + DateTimeFormatter.RFC_1123_DATE_TIME.format(
                                ZonedDateTime.now(ZoneOffset.UTC))
                        + "\r\nContent-Type: "
                        + answer.type
                        + "\r\nContent-Length: "
                        + body.length
                        + "\r\nConnection: close\r\n"
                        + answer.headers
                        + "\r\n";
        socket.getOutputStream().write(lines.getBytes(StandardCharsets.ISO_8859_1));
        if (!words[0].equals("HEAD")) {
            socket.getOutputStream().write(body);
        }
        socket.shutdownOutput();
        socket.getInputStream().skipNBytes(MAX_BODY); // usually reads up to the end of the body
    }

    private Answer page(String method, String path) {
        try {
            return pages.answer(method, path);
        } catch (RuntimeException e) {
            return new Answer(500, "Internal Server Error", "text/plain", "", e + "\n");
        }
    }

    /** Returns the path of a request's target, which may be a URL. */
    private static String path(String target) {
        int end = target.indexOf('?');
        String url = end < 0 ? target : target.substring(0, end);
        int host = url.indexOf("://");
        int slash = host < 0 ? 0 : url.indexOf('/', host + 3);
        return slash < 0 ? "/" : url.substring(slash);
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            // Already closed.
        }
        for (Connection each : open) {
            close(each.socket);
        }
    }
}
