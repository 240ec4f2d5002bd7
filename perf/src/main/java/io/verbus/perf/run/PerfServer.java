// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

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
 * Runs, for another host that measures, what is to run on this one: the end that reflects or
 * receives, the end of a program of perftest that listens, and what tells about this host.
 *
 * <p>That host connects by TCP and sends lines: a greeting, readings of the clock, one request, and
 * the orders of a {@link Worker}. It is sent the lines that the process says. The process ends with
 * the connection. Nothing runs but these, and nobody else is answered.
 */
public final class PerfServer implements AutoCloseable {
    static final String GREETING = "verbus-perf 1";

    /** Asks for the monotonic time of this host in nanoseconds. */
    static final String CLOCK = "clock";

    /** Said: what is wrong, or what a process says of errors, follows. */
    static final String ERROR = "error";

    /** Said last: how the process has ended. */
    static final String ENDED = "ended";

    /** Said once by a program of perftest: it listens. */
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
     * Listens.
     *
     * @param endpoint where.
     * @param peer address of the host that is answered.
     * @param texts that it may ask for, by name.
     * @param log told who asks for what.
     * @throws BusException if this host cannot listen there, or the peer's address is none.
     */
    public PerfServer(
            Endpoint endpoint, String peer, Map<String, Supplier<String>> texts, PrintStream log) {
        try {
            this.peer = InetAddress.getByName(peer);
        } catch (UnknownHostException ex) {
            throw new BusException(
                    "'" + peer + "' is not the address of a host: give that which measures", ex);
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
                            + "): give an address of this host and a port that is free",
                    ex);
        }
    }

    /** The port at which it listens. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Answers until it is closed, on this thread and on one for each connection. */
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
                        "refused " + from.getHostAddress() + ", which is not the host of --for");
                say(out, ERROR, "this server measures with another host: name this one in --for");
                return;
            }
            isCounted = free.tryAcquire();
            if (!isCounted) {
                say(out, ERROR, "this server has " + MAX_CONNECTIONS + " connections already");
            } else {
                noticeSilence(socket);
                socket.setSoTimeout(REQUEST_TIMEOUT_MS);
                answer(socket, out);
            }
        } catch (IOException ex) {
            log.println("a connection has ended: " + ex.getMessage());
        } finally {
            open.remove(socket);
            if (isCounted) {
                free.release();
            }
        }
    }

    /** So that a host which vanishes leaves no process behind that spins. */
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
            say(out, ERROR, "this server is of another version of Verbus: take the same on both");
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
        log.println("runs: " + request);
        Link link;
        try {
            link = start(request.split(" "), out);
        } catch (BusException | IllegalArgumentException | IndexOutOfBoundsException ex) {
            String what =
                    ex instanceof BusException ? ex.getMessage() : "a request is wrong: " + ex;
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
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            link.end();
            links.remove(link);
            socket.close();
            join(orders);
        }
    }

    /** Passes orders on; the process ends when they do. */
    private void pass(BufferedReader in, Link link) {
        try {
            for (String line = line(in); line != null; line = line(in)) {
                link.tell(line);
            }
        } catch (IOException ex) {
            log.println("the connection has ended: " + ex.getMessage());
        }
        link.end();
    }

    private Link start(String[] words, PrintStream out) throws IOException {
        return switch (words[0]) {
            case WORKER -> {
                Work work = work(words, 2);
                BusUnderTest bus = BusUnderTest.valueOf(words[1]);
                yield worker(bus, work, out);
            }
            case PERFTEST -> perftest(words);
            case TEXT -> {
                Supplier<String> text = texts.get(words[1]);
                if (text == null) {
                    throw new BusException("this server tells nothing of " + words[1]);
                }
                yield new TextLink(text.get());
            }
            default -> throw new BusException("this server runs nothing called " + words[0]);
        };
    }

    private static Link worker(BusUnderTest bus, Work work, PrintStream out) {
        LocalLink link =
                new LocalLink(
                        bus.process(Role.REFLECTOR, work),
                        Role.REFLECTOR,
                        work,
                        List.of(),
                        WorkerProcess.flags(),
                        WorkerProcess.newDirectory(Role.REFLECTOR),
                        ProcessBuilder.Redirect.PIPE);
        Thread.ofPlatform()
                .daemon()
                .name("perf-errors")
                .start(() -> link.errors().lines().forEach(line -> say(out, ERROR, line)));
        return link;
    }

    private static Link perftest(String[] words) throws IOException {
        List<String> options = new ArrayList<>(List.of(words[4].split(",")));
        options.remove("none");
        if (!PROGRAMS.contains(words[1]) || !OPTIONS.containsAll(options)) {
            throw new BusException("this server runs no " + words[1] + " with " + options);
        }
        PerftestProgram program =
                new PerftestProgram(words[1], work(words, 5), Integer.parseInt(words[2]));
        try {
            return program.serve(Long.parseLong(words[3]), options);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new BusException("interrupted while " + words[1] + " starts", ex);
        }
    }

    /** Of the words from an index on; what becomes an argument of a program holds nothing else. */
    private static Work work(String[] words, int index) {
        Work work = Work.parse(List.of(words).subList(index, words.length));
        if (work.wire() == Work.Wire.IPC
                || work.drivers() != Work.Drivers.EMBEDDED
                || !ADDRESS.matcher(work.initiator()).matches()
                || !ADDRESS.matcher(work.reflector()).matches()
                || !CPUS.matcher(work.affinity()).matches()) {
            throw new BusException("this server does no such work: " + work);
        }
        return work;
    }

    /** The request for an end that reflects or receives. */
    static String worker(BusUnderTest bus, Work work) {
        return WORKER + " " + bus.name() + " " + arguments(work);
    }

    /** The request for the end of a program of perftest that listens. */
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
     * Asks a server for a text.
     *
     * @param server as HOST:PORT.
     * @param local address of this host's device.
     * @param remote address of the other host's; a server there is asked from {@code local}.
     * @param name of the text.
     * @throws BusException if it cannot be had.
     */
    public static String ask(String server, String local, String remote, String name) {
        Link link = new RemoteLink(server, local, remote, TEXT + " " + name);
        try {
            StringBuilder text = new StringBuilder();
            for (String line = link.readLine(); line != null; line = link.readLine()) {
                text.append(line.substring(Math.min(line.length(), 1))).append('\n');
            }
            if (!link.ending().startsWith(TextLink.WELL)) {
                throw new BusException(server + " does not tell its " + name);
            }
            return text.toString();
        } catch (IOException ex) {
            throw new BusException(
                    "cannot read what " + server + " says (" + ex.getMessage() + "): try again",
                    ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new BusException("interrupted while " + server + " was asked", ex);
        } finally {
            link.end();
        }
    }

    /** One line, not longer than it may be; null at the end. */
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

    /** Ends all that it runs, and {@link #run}. Any thread may call it. */
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
