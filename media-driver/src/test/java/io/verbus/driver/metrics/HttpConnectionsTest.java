// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.Await;
import io.verbus.driver.metrics.HttpConnections.Answer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

@Timeout(60)
class HttpConnectionsTest {
    private static final String TRUSTED = "127.0.0.1";

    private final List<Socket> open = new ArrayList<>();
    private final List<Error> errors = new ArrayList<>();
    private final HttpConnections server;

    HttpConnectionsTest() throws IOException {
        InetAddress trusted = InetAddress.getByName(TRUSTED);
        server =
                new HttpConnections(
                        new InetSocketAddress(trusted, 0),
                        (method, path) ->
                                new Answer(200, "OK", "text/plain", "", method + " " + path),
                        trusted::equals,
                        errors::add);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        for (Socket each : open) {
            each.close();
        }
        assertEquals(List.of(), errors);
    }

    private Socket connect(String from) throws IOException {
        InetSocketAddress to = server.address();
        Socket socket = new Socket(to.getAddress(), to.getPort(), InetAddress.getByName(from), 0);
        open.add(socket);
        return socket;
    }

    private static String ask(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    private String ask(String from) throws IOException {
        return ask(connect(from), "GET /page HTTP/1.1\r\nHost: x\r\n\r\n");
    }

    private static boolean isOpen(Socket socket) throws IOException {
        socket.setSoTimeout(1);
        try {
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (IOException reset) {
            return false;
        }
    }

    @Test
    void limitsConnectionsPerAddress() throws IOException {
        for (int i = 0; i < HttpConnections.MAX_OF_ADDRESS; i++) {
            Socket idler = connect("127.0.0.2");
            if (i % 2 == 0) {
                idler.getOutputStream().write("GET /pa".getBytes(StandardCharsets.US_ASCII));
            }
        }
        Socket further = connect("127.0.0.2");
        Await.until(
                "refused",
                () -> {
                    try {
                        return !isOpen(further);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
        assertTrue(ask("127.0.0.3").endsWith("\r\n\r\nGET /page"));
        assertTrue(ask(TRUSTED).endsWith("\r\n\r\nGET /page"));
        for (Socket idler : open.subList(0, HttpConnections.MAX_OF_ADDRESS)) {
            assertTrue(isOpen(idler), "none was cut off, which would have made room");
        }
        open.removeFirst().close();
        Await.until("room again", () -> isAnswered("127.0.0.2"));
    }

    private boolean isAnswered(String from) {
        try {
            return ask(from).startsWith("HTTP/1.1 200 OK\r\n");
        } catch (IOException refused) {
            return false;
        }
    }

    @Test
    void reservesConnectionsForTrustedAddress() throws IOException {
        int addresses =
                (HttpConnections.MAX - HttpConnections.RESERVED) / HttpConnections.MAX_OF_ADDRESS;
        for (int i = 0; i < addresses; i++) {
            for (int j = 0; j < HttpConnections.MAX_OF_ADDRESS; j++) {
                connect("127.0.1." + i);
            }
        }
        assertThrows(IOException.class, () -> refuse("127.0.2.1"));
        for (int i = 0; i < HttpConnections.MAX_OF_ADDRESS; i++) {
            connect(TRUSTED);
        }
        assertTrue(ask(TRUSTED).endsWith("\r\n\r\nGET /page"));
    }

    private void refuse(String from) throws IOException {
        String answer = ask(from);
        if (answer.isEmpty()) {
            throw new IOException("closed");
        }
    }

    @Test
    void closesIncompleteRequest() throws IOException {
        Socket idler = connect("127.0.0.2");
        idler.getOutputStream().write("GET /pa".getBytes(StandardCharsets.US_ASCII));
        idler.setSoTimeout((int) TimeUnit.SECONDS.toMillis(20));
        long startNs = System.nanoTime();
        assertEquals(-1, idler.getInputStream().read());
        assertTrue(System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(4));
    }

    @ParameterizedTest
    @CsvSource({
        "GET /a HTTP/1.0, GET /a",
        "GET /a?b=c HTTP/1.1, GET /a",
        "GET http://x:1/a?b HTTP/1.1, GET /a",
        "GET http://x HTTP/1.1, GET /",
        "POST / HTTP/1.1, POST /",
    })
    void readsMethodAndPath(String line, String read) throws IOException {
        String answer = ask(connect(TRUSTED), line + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
        assertTrue(answer.endsWith("\r\n\r\n" + read), answer);
    }

    @ParameterizedTest
    @CsvSource({"GET", "GET /a", "GET /a HTTP/2.0", "x y z w"})
    void rejectsInvalidRequest(String line) throws IOException {
        String answer = ask(connect(TRUSTED), line + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 400 Bad Request\r\n"), answer);
    }

    @Test
    void answersHeadWithoutBody() throws IOException {
        String answer = ask(connect(TRUSTED), "HEAD /a HTTP/1.1\r\n\r\n");
        assertTrue(answer.contains("Content-Length: 7\r\n"), answer);
        assertTrue(answer.endsWith("\r\n\r\n"), answer);
    }
}
