// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What is measured, the same for every bus: sent from the command to its child processes as
 * arguments.
 *
 * @param wire what carries the messages.
 * @param processes on which the two ends are: 1; or 2, each with one end; or more, of which all but
 *     one reflect together, as members of a cluster. Over shared memory they share the driver of
 *     the one that receives or reflects, elsewhere each has its own.
 * @param drivers where they are.
 * @param length of a message in bytes.
 * @param mtu longest frame in bytes, header included.
 * @param termLength of every log in bytes.
 * @param messages measured.
 * @param warmup messages before, which are not.
 * @param load how the messages follow each other.
 * @param threading of the driver.
 * @param idle strategy of the threads that send and reflect.
 * @param driverIdle strategy of the driver's own threads.
 * @param initiator address of the end that sends; empty on IPC.
 * @param reflector address of the end that reflects; empty on IPC.
 * @param port at which the reflector's driver listens; the initiator's takes the next.
 * @param affinity CPUs, with commas between, of the thread that sends, then of the one that
 *     receives or reflects; empty where they are not bound.
 * @param server where the host of the end that receives or reflects serves this one, as HOST:PORT;
 *     empty where both ends are on this host.
 */
public record Work(
        Wire wire,
        int processes,
        Drivers drivers,
        int length,
        int mtu,
        int termLength,
        long messages,
        long warmup,
        Load load,
        Threading threading,
        Idle idle,
        Idle driverIdle,
        String initiator,
        String reflector,
        int port,
        String affinity,
        String server) {
    /** Shortest message: its sequence and its time. */
    public static final int MIN_LENGTH = 2 * Long.BYTES;

    /** Bytes of a frame's header, on every bus measured here. */
    public static final int HEADER_LENGTH = 32;

    /** Of the arguments. */
    private static final Set<String> NAMES =
            Set.of(
                    "wire",
                    "processes",
                    "drivers",
                    "length",
                    "mtu",
                    "termLength",
                    "messages",
                    "warmup",
                    "kind",
                    "rate",
                    "burst",
                    "publishers",
                    "subscribers",
                    "publications",
                    "polling",
                    "threading",
                    "idle",
                    "driverIdle",
                    "initiator",
                    "reflector",
                    "port",
                    "affinity",
                    "server");

    /** Ports that a run takes. */
    private static final int PORTS = 2;

    /** Of both ends on this host. */
    public Work(
            Wire wire,
            int processes,
            Drivers drivers,
            int length,
            int mtu,
            int termLength,
            long messages,
            long warmup,
            Load load,
            Threading threading,
            Idle idle,
            Idle driverIdle,
            String initiator,
            String reflector,
            int port,
            String affinity) {
        this(
                wire,
                processes,
                drivers,
                length,
                mtu,
                termLength,
                messages,
                warmup,
                load,
                threading,
                idle,
                driverIdle,
                initiator,
                reflector,
                port,
                affinity,
                "");
    }

    /** What carries the messages. */
    public enum Wire {
        /** Shared memory. */
        IPC,
        /** RDMA. */
        RDMA,
        /** UDP. */
        UDP;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Where drivers are. */
    public enum Drivers {
        /** In the processes of the ends. */
        EMBEDDED,
        /** In processes of their own, beside those of the ends. */
        OWN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Threading modes of a driver. */
    public enum Threading {
        /** The threads that send and reflect drive it. */
        INVOKER,
        /** One thread. */
        SHARED,
        /** One thread for sender and receiver, one for the conductor. */
        SHARED_NETWORK,
        /** Three threads. */
        DEDICATED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Idle strategies. */
    public enum Idle {
        /** Spins with a hint to the processor. */
        BUSY_SPIN,
        /** Spins without. */
        NOOP,
        /** Yields. */
        YIELD,
        /** Spins, yields, then parks for longer and longer. */
        BACKOFF,
        /** Sleeps for a millisecond. */
        SLEEP;

        /** A new strategy. */
        public IdleStrategy strategy() {
            return switch (this) {
                case BUSY_SPIN -> BusySpinIdleStrategy.INSTANCE;
                case NOOP -> NoOpIdleStrategy.INSTANCE;
                case YIELD -> YieldingIdleStrategy.INSTANCE;
                case BACKOFF ->
                        new BackoffIdleStrategy(
                                10,
                                20,
                                TimeUnit.MICROSECONDS.toNanos(1),
                                TimeUnit.MILLISECONDS.toNanos(1));
                case SLEEP -> new SleepingIdleStrategy(TimeUnit.MILLISECONDS.toNanos(1));
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The same work over UDP, at ports of its own. */
    public Work overUdp() {
        return with(Wire.UDP, port + PORTS, load);
    }

    /** The same work at other ports. */
    public Work atOtherPorts() {
        return with(wire, port + PORTS, load);
    }

    /** The same round trips at another rate. */
    public Work atRate(long rate) {
        return with(wire, port, load.atRate(rate));
    }

    private Work with(Wire wire, int port, Load load) {
        return new Work(
                wire,
                processes,
                drivers,
                length,
                mtu,
                termLength,
                messages,
                warmup,
                load,
                threading,
                idle,
                driverIdle,
                initiator,
                reflector,
                port,
                affinity,
                server);
    }

    /** Whether a process of this role has a driver. */
    public boolean hasDriver(Role role) {
        return drivers == Drivers.OWN
                ? role == Role.DRIVER
                : wire != Wire.IPC || role != Role.INITIATOR;
    }

    /** CPU of a measuring thread by its number, 0 being the one that sends; -1 for any. */
    public int cpu(int thread) {
        String[] cpus = affinity.isEmpty() ? new String[0] : affinity.split(",");
        return thread < cpus.length ? Integer.parseInt(cpus[thread]) : -1;
    }

    /** Arguments from which {@link #parse} makes equal work. */
    public List<String> toArguments() {
        return List.of(
                "wire=" + wire.name(),
                "processes=" + processes,
                "drivers=" + drivers.name(),
                "length=" + length,
                "mtu=" + mtu,
                "termLength=" + termLength,
                "messages=" + messages,
                "warmup=" + warmup,
                "kind=" + load.kind().name(),
                "rate=" + load.rate(),
                "burst=" + load.burst(),
                "publishers=" + load.publishers(),
                "subscribers=" + load.subscribers(),
                "publications=" + load.publications().name(),
                "polling=" + load.polling().name(),
                "threading=" + threading.name(),
                "idle=" + idle.name(),
                "driverIdle=" + driverIdle.name(),
                "initiator=" + initiator,
                "reflector=" + reflector,
                "port=" + port,
                "affinity=" + affinity,
                "server=" + server);
    }

    /**
     * Reads what {@link #toArguments()} wrote.
     *
     * @throws IllegalArgumentException if it is something else.
     */
    public static Work parse(List<String> arguments) {
        Map<String, String> values = new HashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            values.put(parts[0], parts[parts.length - 1]);
        }
        if (!values.keySet().equals(NAMES)) {
            throw new IllegalArgumentException("not the arguments of work: " + arguments);
        }
        return new Work(
                Wire.valueOf(values.get("wire")),
                Integer.parseInt(values.get("processes")),
                Drivers.valueOf(values.get("drivers")),
                Integer.parseInt(values.get("length")),
                Integer.parseInt(values.get("mtu")),
                Integer.parseInt(values.get("termLength")),
                Long.parseLong(values.get("messages")),
                Long.parseLong(values.get("warmup")),
                new Load(
                        Load.Kind.valueOf(values.get("kind")),
                        Long.parseLong(values.get("rate")),
                        Integer.parseInt(values.get("burst")),
                        Integer.parseInt(values.get("publishers")),
                        Integer.parseInt(values.get("subscribers")),
                        Load.Publications.valueOf(values.get("publications")),
                        Load.Polling.valueOf(values.get("polling"))),
                Threading.valueOf(values.get("threading")),
                Idle.valueOf(values.get("idle")),
                Idle.valueOf(values.get("driverIdle")),
                values.get("initiator"),
                values.get("reflector"),
                Integer.parseInt(values.get("port")),
                values.get("affinity"),
                values.get("server"));
    }
}
