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
 * Work to measure, which is the same for every bus. The command passes it to its child processes as
 * arguments.
 *
 * @param wire transport of the messages.
 * @param processes number of processes for the two ends: 1; 2, one per end; or more, all but one of
 *     which reflect together as members of a cluster. Over shared memory, the processes share the
 *     driver of the receiving or reflecting process; otherwise each process has its own driver.
 * @param drivers location of the drivers.
 * @param length message length in bytes.
 * @param mtu maximum frame length in bytes, including the header.
 * @param termLength term length of every log in bytes.
 * @param messages number of messages to measure.
 * @param warmup number of messages to send before measuring.
 * @param load pattern in which messages are sent.
 * @param threading threading mode of the drivers.
 * @param idle idle strategy of the sending and reflecting threads.
 * @param driverIdle idle strategy of the drivers' own threads.
 * @param initiator address of the sending end; empty on IPC.
 * @param reflector address of the receiving or reflecting end; empty on IPC.
 * @param port port of the reflecting end's driver; the sending end's driver uses the next port.
 * @param affinity comma-separated CPUs of the sending thread, then of the receiving or reflecting
 *     thread; empty to bind none.
 * @param server address of the server on the receiving or reflecting host, as HOST:PORT; empty if
 *     both ends are on this host.
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
    /** Length of the shortest message, which contains only its sequence and its time. */
    public static final int MIN_LENGTH = 2 * Long.BYTES;

    /** Length of a frame's header, on every bus measured here. */
    public static final int HEADER_LENGTH = 32;

    /** Names of the arguments. */
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

    /** Number of ports used by a run. */
    private static final int PORTS = 2;

    /** Creates work with both ends on this host. */
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

    /** Transport of the messages. */
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

    /** Location of the drivers. */
    public enum Drivers {
        /** In the processes of the two ends. */
        EMBEDDED,
        /** In separate processes. */
        OWN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Threading mode of a driver. */
    public enum Threading {
        /** The sending and reflecting threads invoke the driver. */
        INVOKER,
        /** One thread. */
        SHARED,
        /** One thread runs sender and receiver, another the conductor. */
        SHARED_NETWORK,
        /** Three threads. */
        DEDICATED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Idle strategy. */
    public enum Idle {
        /** Spins with a hint to the processor. */
        BUSY_SPIN,
        /** Spins without a hint. */
        NOOP,
        /** Yields. */
        YIELD,
        /** Spins, yields, then parks for increasing periods, as Aeron's drivers do by default. */
        BACKOFF,
        /**
         * Like the previous strategy, but with Agrona's defaults, which yield less often. Not for
         * drivers.
         */
        AGRONA,
        /** Sleeps for a millisecond. */
        SLEEP;

        /** Creates a strategy. */
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
                case AGRONA -> new BackoffIdleStrategy();
                case SLEEP -> new SleepingIdleStrategy(TimeUnit.MILLISECONDS.toNanos(1));
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the same work over UDP, on different ports. */
    public Work overUdp() {
        return with(Wire.UDP, port + PORTS, load);
    }

    /** Returns the same work on different ports. */
    public Work atOtherPorts() {
        return with(wire, port + PORTS, load);
    }

    /** Returns the same round-trip work at another rate. */
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

    /** Returns whether a process with this role has a driver. */
    public boolean hasDriver(Role role) {
        return drivers == Drivers.OWN
                ? role == Role.DRIVER
                : wire != Wire.IPC || role != Role.INITIATOR;
    }

    /**
     * Returns the CPU of a measuring thread, given its number (0 for the sending thread); -1 for
     * any CPU.
     */
    public int cpu(int thread) {
        String[] cpus = affinity.isEmpty() ? new String[0] : affinity.split(",");
        return thread < cpus.length ? Integer.parseInt(cpus[thread]) : -1;
    }

    /** Encodes the work as arguments for {@link #parse}. */
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
     * Parses the output of {@link #toArguments()}.
     *
     * @throws IllegalArgumentException if the arguments are malformed.
     */
    public static Work parse(List<String> arguments) {
        Map<String, String> values = new HashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            values.put(parts[0], parts[parts.length - 1]);
        }
        if (!values.keySet().equals(NAMES)) {
            throw new IllegalArgumentException("invalid work arguments: " + arguments);
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
