// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;
import io.verbus.perf.process.Link;

import jdk.net.ExtendedSocketOptions;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Serves another host that runs a measurement: runs the reflecting or receiving end, or the
 * listening end of a perftest program, and returns facts about this host.
 *
 * <p>The other host connects over TCP and sends lines: a greeting, clock requests, one request, and
 * the orders for a {@link Worker}. The server returns the lines that the started process prints.
 * The process ends with the connection. The server runs no other programs, and rejects all other
 * hosts.
 */
public final class PerfServer implements AutoCloseable {
    static final String GREETING = "verbus-perf 2";

    /** Requests the monotonic time of this host in nanoseconds. */
    static final String CLOCK = "clock";

    /** Answer: an error message, or a line of a process's standard error. */
    static final String ERROR = "error";

    /** Last answer: how the process ended. */
    static final String ENDED = "ended";

    /** Answer from a perftest program, sent once: the program is listening. */
    static final String READY = "ready";

    private static final String WORKER = "worker";
    private static final String PERFTEST = "perftest";
    private static final String TEXT = "text";
    private static final int MAX_LINE = 4096;
    private static final int MAX_CONNECTIONS = 8;
    private static final int SILENCE_S = 20;
    private static final int REQUEST_TIMEOUT_MS = 30_000;
    private static final Set<String> PROGRAMS = Set.of("ib_write_lat", "ib_write_bw");
    private static final Set<String> OPTIONS = Set.of("-U");
    private static final Pattern ADDRESS = Pattern.compile("[0-9a-fA-F.:%]{2,60}");
    private static final Pattern CPUS = Pattern.compile("[0-9,]{0,60}");

    private final ServerSocket listener;
    private final InetAddress peer;
    private final Map<String, Supplier<String>> texts;
    private final PrintStream log;
    private final Semaphore free = new Semaphore(MAX_CONNECTIONS);
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();

    /**
     * Starts listening.
     *
     * @param endpoint address and port to listen on.
     * @param peer address of the only host that is served.
     * @param texts texts that the peer may request, by name.
     * @param log destination of log lines.
     * @throws BusException if this host cannot listen there, or the peer's address is invalid.
     */
    public PerfServer(
            Endpoint endpoint, String peer, Map<String, Supplier<String>> texts, PrintStream log) {
        try {
            this.peer = InetAddress.getByName(peer);
        } catch (UnknownHostException ex) {
            throw new BusException(
                    "'"
                            + peer
                            + "' is not a host address: give the address of the measuring"
                            + " host",
                    ex);
        }
        this.texts = Map.copyOf(texts);
        this.log = log;
        try {
            listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(endpoint.host(), endpoint.port()));
        } catch (IOException ex) {
            throw new BusException(
                    "cannot listen at "
                            + endpoint
                            + " ("
                            + ex.getMessage()
                            + "): give an address of this host and a free port",
                    ex);
        }
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Accepts connections until closed; each is served on its own thread. */
    public void run() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                Thread.ofPlatform().daemon().name("perf-server").start(() -> serve(socket));
            } catch (IOException ex) {
                if (!listener.isClosed()) {
                    log.println("cannot accept a connection: " + ex.getMessage());
                }
            }
        }
    }

    private void serve(Socket socket) {
        boolean isCounted = false;
        try (socket) {
            socket.setTcpNoDelay(true);
            PrintStream out =
                    new PrintStream(socket.getOutputStream(), true, StandardCharsets.UTF_8);
            InetAddress from = socket.getInetAddress();
            if (!from.equals(peer)) {
                log.println(
                        "rejected "
                                + from.getHostAddress()
                                + ", which is not the host given by"
                                + " --for");
                say(out, ERROR, "this server serves only the host given by its --for option");
                return;
            }
            isCounted = free.tryAcquire();
            if (!isCounted) {
                say(
                        out,
                        ERROR,
                        "this server already has its maximum of "
                                + MAX_CONNECTIONS
                                + ""
                                + " connections");
            } else {
                noticeSilence(socket);
                socket.setSoTimeout(REQUEST_TIMEOUT_MS);
                answer(socket, out);
            }
        } catch (IOException ex) {
            log.println("lost a connection: " + ex.getMessage());
        } finally {
            open.remove(socket);
            if (isCounted) {
                free.release();
            }
        }
    }

    /**
     * Enables keep-alive, so that no spinning process is left behind if the other host vanishes.
     */
    private static void noticeSilence(Socket socket) throws IOException {
        socket.setKeepAlive(true);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, SILENCE_S);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, SILENCE_S);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
    }

    private void answer(Socket socket, PrintStream out) throws IOException {
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        if (!GREETING.equals(line(in))) {
            say(
                    out,
                    ERROR,
                    "this server has a different version of Verbus: use the same version on both"
                            + " hosts");
            return;
        }
        String request = line(in);
        while (CLOCK.equals(request)) {
            out.println(System.nanoTime());
            request = line(in);
        }
        if (request == null) {
            return;
        }
        log.println("running: " + request);
        Link link;
        try {
            link = start(request.split(" "), out);
        } catch (BusException | IllegalArgumentException | IndexOutOfBoundsException ex) {
            String what = ex instanceof BusException ? ex.getMessage() : "invalid request: " + ex;
            log.println(what);
            say(out, ERROR, what);
            return;
        }
        links.add(link);
        socket.setSoTimeout(0);
        Thread orders =
                Thread.ofPlatform().daemon().name("perf-orders").start(() -> pass(in, link));
        try {
            for (String line = link.readLine(); line != null; line = link.readLine()) {
                out.println(line);
            }
            out.println(link.ending());
        } catch (BusException ex) {
            log.println(ex.getMessage());
            say(out, ERROR, ex.getMessage());
        } finally {
            link.end();
            links.remove(link);
            socket.close();
            join(orders);
        }
    }

    /** Passes orders to the process, and ends it when the connection ends. */
    private void pass(BufferedReader in, Link link) {
        try {
            for (String line = line(in); line != null; line = line(in)) {
                link.tell(line);
            }
        } catch (IOException ex) {
            log.println("lost the connection: " + ex.getMessage());
        }
        link.end();
    }

    private Link start(String[] words, PrintStream out) throws IOException {
        return switch (words[0]) {
            case WORKER -> {
                Work work = work(words, 2);
                yield worker(Contender.valueOf(words[1]), work, out);
            }
            case PERFTEST -> perftest(words);
            case TEXT -> {
                Supplier<String> text = texts.get(words[1]);
                if (text == null) {
                    throw new BusException(
                            "this server cannot send '"
                                    + words[1]
                                    + "': start it with `verbus report --serve`");
                }
                yield new TextLink(text.get());
            }
            default ->
                    throw new BusException("this server does not support requests for " + words[0]);
        };
    }

    private static Link worker(Contender contender, Work work, PrintStream out) {
        return WorkerProcess.start(
                contender.process(Role.REFLECTOR, work),
                Role.REFLECTOR,
                work,
                List.of(),
                List.of(),
                WorkerProcess.newDirectory(Role.REFLECTOR),
                line -> say(out, ERROR, line));
    }

    private static Link perftest(String[] words) throws IOException {
        List<String> options = new ArrayList<>(List.of(words[4].split(",")));
        options.remove("none");
        if (!PROGRAMS.contains(words[1]) || !OPTIONS.containsAll(options)) {
            throw new BusException(
                    "this server does not run " + words[1] + " with options " + options);
        }
        PerftestProgram program =
                new PerftestProgram(words[1], work(words, 5), Integer.parseInt(words[2]));
        try {
            return program.serve(Long.parseLong(words[3]), options);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new BusException("interrupted while " + words[1] + " was starting", ex);
        }
    }

    /**
     * Parses the work from the words at an index on, and checks values that become program
     * arguments.
     */
    private static Work work(String[] words, int index) {
        Work work = Work.parse(List.of(words).subList(index, words.length));
        if (work.wire() == Work.Wire.IPC
                || work.drivers() != Work.Drivers.EMBEDDED
                || !ADDRESS.matcher(work.initiator()).matches()
                || !ADDRESS.matcher(work.reflector()).matches()
                || !CPUS.matcher(work.affinity()).matches()) {
            throw new BusException("this server does not accept this work: " + work);
        }
        return work;
    }

    /** Returns the request for a reflecting or receiving end. */
    static String worker(Contender contender, Work work) {
        return WORKER + " " + contender.name() + " " + arguments(work);
    }

    /** Returns the request for the listening end of a perftest program. */
    static String perftest(
            String name, int length, long iterations, List<String> options, Work work) {
        String listed = options.isEmpty() ? "none" : String.join(",", options);
        return String.join(
                " ",
                PERFTEST,
                name,
                Integer.toString(length),
                Long.toString(iterations),
                listed,
                arguments(work));
    }

    private static String arguments(Work work) {
        return String.join(" ", work.toArguments());
    }

    /**
     * Requests a text from a server.
     *
     * @param server address of the server, as HOST:PORT.
     * @param local address of this host's device.
     * @param remote address of the other host's device; if the server is there, the request comes
     *     from {@code local}.
     * @param name name of the text.
     * @throws BusException if the request fails.
     */
    public static String ask(String server, String local, String remote, String name) {
        Link link = new RemoteLink(server, local, remote, TEXT + " " + name);
        try {
            StringBuilder text = new StringBuilder();
            for (String line = link.readLine(); line != null; line = link.readLine()) {
                text.append(line.substring(Math.min(line.length(), 1))).append('\n');
            }
            if (!link.ending().startsWith(TextLink.WELL)) {
                throw new BusException(server + " did not return its text " + name);
            }
            return text.toString();
        } catch (IOException ex) {
            throw new BusException(
                    "cannot read the answer of " + server + " (" + ex.getMessage() + "): try again",
                    ex);
        } finally {
            link.end();
        }
    }

    /** Reads one line of limited length; returns null at the end of the stream. */
    private static String line(BufferedReader in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                return null;
            }
            if (line.length() == MAX_LINE) {
                throw new IOException("a line is longer than " + MAX_LINE + " characters");
            }
            line.append((char) next);
        }
        return line.toString();
    }

    private static void say(PrintStream out, String word, String rest) {
        out.println(word + " " + rest);
    }

    private static void join(Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(1));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends all processes and {@link #run}. Thread-safe. */
    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException ex) {
            log.println("cannot close a socket: " + ex.getMessage());
        }
        links.forEach(Link::end);
    }
}
