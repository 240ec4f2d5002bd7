// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.perf.process.Link;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Connection to a process started by a {@link PerfServer} on another host; the process ends with
 * the connection.
 */
final class RemoteLink implements Link {
    private static final int CONNECT_TIMEOUT_MS = 10_000;
    private static final int CLOCK_TIMEOUT_MS = 10_000;
    private static final int CLOCK_READINGS = 10;

    private final String server;
    private final Socket socket = new Socket();
    private final PrintStream orders;
    private final BufferedReader lines;
    private final long clockAheadNs;
    private volatile String ending = "ended without an exit status";

    /**
     * Connects to a server and sends a request.
     *
     * @param server address of the server, as HOST:PORT.
     * @param local source address to use if the server is at {@code remote}; otherwise the route to
     *     the server determines the source address.
     * @param remote address of the other end.
     * @param request request to send; see {@link PerfServer}.
     */
    RemoteLink(String server, String local, String remote, String request) {
        this.server = server;
        Endpoint endpoint = Endpoint.parse(server);
        try {
            if (endpoint.host().equals(remote)) {
                bind(local);
            }
            socket.connect(
                    new InetSocketAddress(endpoint.host(), endpoint.port()), CONNECT_TIMEOUT_MS);
            socket.setTcpNoDelay(true);
            orders = new PrintStream(socket.getOutputStream(), true, StandardCharsets.UTF_8);
            lines =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            tell(PerfServer.GREETING);
            clockAheadNs = compareClocks();
        } catch (IOException ex) {
            end();
            throw new BusException(
                    "cannot reach the server at "
                            + server
                            + " ("
                            + ex.getMessage()
                            + "): start `verbus perf serve` there, with this host's address as"
                            + " --for",
                    ex);
        }
        tell(request);
    }

    private void bind(String local) {
        try {
            socket.bind(new InetSocketAddress(local, 0));
        } catch (IOException ex) {
            end();
            throw new BusException(
                    "cannot connect to the server at "
                            + server
                            + " from "
                            + local
                            + " ("
                            + ex.getMessage()
                            + "): give an address of this host as --local",
                    ex);
        }
    }

    /**
     * Returns the clock offset from the reading with the shortest round trip, which is the most
     * accurate.
     */
    private long compareClocks() throws IOException {
        socket.setSoTimeout(CLOCK_TIMEOUT_MS);
        long least = Long.MAX_VALUE;
        long ahead = 0;
        try {
            for (int i = 0; i < CLOCK_READINGS; i++) {
                long before = System.nanoTime();
                tell(PerfServer.CLOCK);
                long theirs = clock(lines.readLine());
                long took = System.nanoTime() - before;
                if (took < least) {
                    least = took;
                    ahead = theirs - before - took / 2;
                }
            }
        } catch (SocketTimeoutException ex) {
            throw new IOException(
                    "no answer for " + TimeUnit.MILLISECONDS.toSeconds(CLOCK_TIMEOUT_MS) + " s",
                    ex);
        }
        socket.setSoTimeout(0);
        return ahead;
    }

    private static long clock(String line) throws IOException {
        if (line == null) {
            throw new IOException("it closed the connection");
        }
        if (line.startsWith(PerfServer.ERROR)) {
            throw new IOException(line.substring(PerfServer.ERROR.length()).strip());
        }
        try {
            return Long.parseLong(line);
        } catch (NumberFormatException ex) {
            throw new IOException("it is not a server of this version of Verbus", ex);
        }
    }

    @Override
    public void tell(String line) {
        orders.println(line);
    }

    @Override
    public String readLine() throws IOException {
        while (true) {
            String line = readAny();
            if (line == null) {
                return null;
            }
            if (line.startsWith(PerfServer.ENDED)) {
                ending = line;
                return null;
            }
            if (!line.startsWith(PerfServer.ERROR)) {
                return line;
            }
            System.err.println(server + ": " + line.substring(PerfServer.ERROR.length()).strip());
        }
    }

    private String readAny() throws IOException {
        try {
            return lines.readLine();
        } catch (SocketException ex) {
            if (socket.isClosed()) {
                return null; // this process has closed the connection
            }
            throw ex;
        }
    }

    @Override
    public String ending() {
        return ending + " at " + server;
    }

    @Override
    public long clockAheadNs() {
        return clockAheadNs;
    }

    @Override
    public void end() {
        try {
            socket.close();
        } catch (IOException ex) {
            System.err.println("cannot close the connection to " + server + ": " + ex);
        }
    }
}
