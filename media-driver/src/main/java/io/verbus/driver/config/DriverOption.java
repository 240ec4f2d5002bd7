// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.driver.files.DirectoryAccess;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.share.Share;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.transport.Option;

import org.agrona.SystemUtil;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Options of the driver, one row each: a row gives the option's name, default, unit, range and help
 * to the builder, to each source that operators write, to {@code --help} and to the reference page.
 * Options of transports come from their providers.
 *
 * @param <T> type of the value.
 */
public final class DriverOption<T> {
    private static final int MIN_SECTION = 64 * 1024;
    private static final int MAX_SECTION = 256 * 1024 * 1024;
    private static final long MIN_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Minimum of the untethered timeouts. The driver checks slow subscribers every 10 ms. */
    private static final long MIN_UNTETHERED_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long MIN_THRESHOLD_NS = 1;
    private static final int MAX_RESOLVER_NAME = 512;
    private static final int MAX_BOOTSTRAP_NEIGHBORS = 20;
    private static final long MAX_THRESHOLD_NS = TimeUnit.DAYS.toNanos(365);
    private static final long MAX_TIMEOUT_NS = TimeUnit.DAYS.toNanos(1);

    private static final int MAX_SHARE = 100_000_000;

    /** Name of the audit file in the driver directory. */
    private static final String AUDIT_NAME = "audit.log";

    private static final List<DriverOption<?>> ROWS = new ArrayList<>();
    private static final Map<Share, DriverOption<Long>> SHARES = new EnumMap<>(Share.class);

    public static final DriverOption<Path> DIR =
            row(
                    Option.of(
                            "dir",
                            "/dev/shm/aeron-USER",
                            "the path of a directory",
                            "Directory, on tmpfs, in which clients find the driver.",
                            Path::of,
                            DriverOption::isPath),
                    any -> DriverDirectory.defaultPath());

    public static final DriverOption<String> DIRECTORY_GROUP =
            optional(
                    Option.of(
                            "directory-group",
                            "none",
                            "the name or number of a group",
                            "Group whose members may be clients, in addition to the driver's user.",
                            Function.identity(),
                            group -> !group.isEmpty()));

    public static final DriverOption<DirectoryAccess> DIRECTORY_ACCESS =
            row(
                    Option.constant(
                            "directory-access",
                            DirectoryAccess.CLIENTS,
                            DirectoryAccess.values(),
                            "Whether members of the directory-group may be clients, or may only"
                                    + " read counters and errors."));

    public static final DriverOption<Path> AUDIT_FILE =
            row(
                    Option.of(
                            "audit-file",
                            AUDIT_NAME,
                            "an absolute path, or audit.log for a file of this name in the driver"
                                    + " directory",
                            "Audit log, with a line for each peer that the driver admits or"
                                    + " refuses.",
                            Path::of,
                            DriverOption::isAuditFile));

    public static final DriverOption<Long> AUDIT_LENGTH =
            row(
                    Option.size(
                            "audit-length",
                            "1m",
                            4096,
                            1 << 30,
                            "Length in bytes at which the driver renames the audit file to FILE.1"
                                    + " and starts a new one."));

    public static final DriverOption<Path> LOG_DIRECTORY =
            optional(
                    Option.of(
                            "log-directory",
                            "none",
                            "the path of a directory",
                            "Directory, on a hugetlbfs mount, in which the driver creates logs, so"
                                    + " that they use huge pages.",
                            Path::of,
                            DriverOption::isPath));

    public static final DriverOption<ThreadingMode> THREADING =
            row(
                    Option.constant(
                            "threading",
                            ThreadingMode.DEDICATED,
                            ThreadingMode.values(),
                            "Which agents share a thread: none (dedicated), sender and receiver"
                                    + " (shared_network) or all (shared); invoker uses no"
                                    + " threads."));

    public static final DriverOption<Idling> CONDUCTOR_IDLE = idle("conductor");

    public static final DriverOption<Idling> SENDER_IDLE = idle("sender");

    public static final DriverOption<Idling> RECEIVER_IDLE = idle("receiver");

    public static final DriverOption<Integer> CONDUCTOR_CPU = cpu("conductor");

    public static final DriverOption<Integer> SENDER_CPU = cpu("sender");

    public static final DriverOption<Integer> RECEIVER_CPU = cpu("receiver");

    public static final DriverOption<Long> CONDUCTOR_THRESHOLD = threshold("conductor");

    public static final DriverOption<Long> SENDER_THRESHOLD = threshold("sender");

    public static final DriverOption<Long> RECEIVER_THRESHOLD = threshold("receiver");

    public static final DriverOption<Long> CLIENT_LIVENESS_TIMEOUT =
            row(
                    Option.duration(
                            "client-liveness-timeout",
                            "10s",
                            MIN_TIMEOUT_NS,
                            MAX_TIMEOUT_NS,
                            "Time without a keep-alive after which the driver considers a client"
                                    + " dead; most clients send one every 500 ms."));

    public static final DriverOption<Long> UNBLOCK_TIMEOUT =
            row(
                    Option.duration(
                            "unblock-timeout",
                            "15s",
                            MIN_TIMEOUT_NS,
                            MAX_TIMEOUT_NS,
                            "Time after which the driver turns an uncommitted claim into padding;"
                                    + " at least client-liveness-timeout, and by default 1.5 times"
                                    + " that."),
                    config -> config.get(CLIENT_LIVENESS_TIMEOUT) * 3 / 2);

    public static final DriverOption<Long> IMAGE_LIVENESS_TIMEOUT =
            row(
                    Option.duration(
                            "image-liveness-timeout",
                            "10s",
                            MIN_TIMEOUT_NS,
                            MAX_TIMEOUT_NS,
                            "How long the driver ignores a rejected stream, and how long an image"
                                    + " with several sources may have no live source."));

    public static final DriverOption<Boolean> TETHER_SUBSCRIPTIONS =
            row(
                    Option.flag(
                            "tether-subscriptions",
                            true,
                            "Default for channels without a tether key."));

    public static final DriverOption<Boolean> REJOIN_STREAM =
            row(Option.flag("rejoin-stream", true, "Default for channels without a rejoin key."));

    public static final DriverOption<Long> UNTETHERED_WINDOW_LIMIT =
            row(
                    untethered(
                            "window-limit",
                            "5s",
                            "How long an untethered subscriber may lag by 3/4 of the window before"
                                    + " the driver detaches it."));

    public static final DriverOption<Long> UNTETHERED_LINGER =
            row(
                    untethered(
                            "linger",
                            "5s",
                            "How long a detached subscriber continues to back-pressure the stream;"
                                    + " by default the untethered-window-limit-timeout."),
                    any -> UntetheredTimeouts.AS_WINDOW_LIMIT);

    public static final DriverOption<Long> UNTETHERED_RESTING =
            row(
                    untethered(
                            "resting",
                            "10s",
                            "Time from the end of untethered-linger-timeout until a detached"
                                    + " subscriber rejoins."));

    public static final DriverOption<Long> LINGER =
            row(
                    Option.duration(
                            "linger",
                            "3s",
                            0,
                            MAX_TIMEOUT_NS,
                            "How long the driver keeps a log file after its last user has gone."));

    public static final DriverOption<Long> LOOK_UP_THRESHOLD =
            row(
                    Option.duration(
                            "look-up-threshold",
                            "5s",
                            MIN_THRESHOLD_NS,
                            MAX_THRESHOLD_NS,
                            "Duration above which name look-ups count as slow."));

    public static final DriverOption<Integer> TERM_LENGTH =
            row(
                    Option.powerOfTwo(
                            "term-length",
                            SystemUtil.formatSize(ChannelUri.DEFAULT_TERM_LENGTH),
                            LogLayout.MIN_TERM_LENGTH,
                            LogLayout.MAX_TERM_LENGTH,
                            "Default length of a term in bytes, for channels without a term-length"
                                    + " key."));

    public static final DriverOption<Integer> MTU =
            row(
                    Option.size(
                            "mtu",
                            Integer.toString(ChannelUri.DEFAULT_MTU),
                            "a multiple of 32 from 64 to 65504",
                            DriverOption::isMtu,
                            "Default maximum frame length in bytes, for channels without an mtu"
                                    + " key."));

    public static final DriverOption<Integer> IPC_WINDOW =
            row(
                    Option.size(
                            "ipc-window",
                            "0",
                            "at least 0 and less than 2g",
                            bytes -> bytes >= 0,
                            "How many bytes an IPC publication may be ahead of its slowest"
                                    + " subscriber; 0 means two terms, or half a term for aeron:"
                                    + " channels."));

    public static final DriverOption<Integer> TO_DRIVER_LENGTH =
            row(
                    Option.powerOfTwo(
                            "to-driver-length",
                            "1m",
                            MIN_SECTION,
                            MAX_SECTION,
                            "Length of the command buffer in bytes."));

    public static final DriverOption<Integer> TO_CLIENTS_LENGTH =
            row(
                    Option.powerOfTwo(
                            "to-clients-length",
                            "1m",
                            MIN_SECTION,
                            MAX_SECTION,
                            "Length of the event buffer in bytes; the longer it is, the longer"
                                    + " clients may stall without missing events."));

    public static final DriverOption<Integer> COUNTER_VALUES_LENGTH =
            row(
                    Option.powerOfTwo(
                            "counter-values-length",
                            "8m",
                            MIN_SECTION,
                            MAX_SECTION,
                            "Length in bytes of the buffer for counter values; each counter takes"
                                    + " 128 bytes."));

    public static final DriverOption<Integer> ERROR_LOG_LENGTH =
            row(
                    Option.powerOfTwo(
                            "error-log-length",
                            "4m",
                            MIN_SECTION,
                            MAX_SECTION,
                            "Length of the error log in bytes."));

    public static final DriverOption<Integer> FILE_PAGE_SIZE =
            row(
                    Option.powerOfTwo(
                            "file-page-size",
                            "4k",
                            LogLayout.MIN_PAGE_LENGTH,
                            LogLayout.MAX_PAGE_LENGTH,
                            "Page size in bytes to which the lengths of cnc.dat and of logs are"
                                    + " rounded up; in a log-directory, the huge page size applies"
                                    + " instead."));

    public static final DriverOption<Integer> CLIENT_SHARE =
            row(
                    Option.count(
                            "client-share",
                            "75",
                            1,
                            100,
                            "Percentage of the counters, and of each maximum from max-subscriptions"
                                    + " to max-log-bytes, that one client may use."));

    public static final DriverOption<Long> MAX_CLIENTS =
            share(Share.CLIENTS, "4096", "Maximum number of clients.");

    public static final DriverOption<Long> MAX_SUBSCRIPTIONS =
            share(
                    Share.SUBSCRIPTIONS,
                    "20000",
                    "Maximum number of subscriptions of all clients; a subscription whose channel"
                            + " exceeds 1 KiB counts once per KiB.");

    public static final DriverOption<Long> MAX_PUBLICATIONS =
            share(
                    Share.PUBLICATIONS,
                    "10000",
                    "Maximum number of publications of all clients; a shared publication counts"
                            + " each time that a client adds it.");

    public static final DriverOption<Long> MAX_DESTINATIONS =
            share(
                    Share.DESTINATIONS,
                    "10000",
                    "Maximum number of destinations of all publications and subscriptions.");

    public static final DriverOption<Long> MAX_ENDPOINTS =
            share(
                    Share.ENDPOINTS,
                    "10000",
                    "Maximum number of endpoints of all channels, each a socket or a connection.");

    public static final DriverOption<Long> MAX_STATIC_COUNTERS =
            share(
                    Share.STATIC_COUNTERS,
                    "1000",
                    "Maximum number of static counters of all clients; each exists until the driver"
                            + " ends.");

    public static final DriverOption<Long> MAX_LOOK_UPS =
            share(Share.LOOK_UPS, "4000", "Maximum number of host names looked up concurrently.");

    public static final DriverOption<Long> MAX_WAITING_COMMANDS =
            share(
                    Share.WAITING_COMMANDS,
                    "6000",
                    "Maximum number of commands that wait concurrently for names, transports or"
                            + " logs.");

    public static final DriverOption<Long> MAX_LOG_BYTES =
            share(
                    Share.LOG_BYTES,
                    Option.size(
                            Share.LOG_BYTES.option(),
                            "0",
                            0,
                            1L << 50,
                            "Maximum total size in bytes of all publications' logs; 0 means the"
                                    + " size of their file system."));

    public static final DriverOption<Boolean> SPIES_CONNECT =
            row(
                    Option.flag(
                            "spies-connect",
                            false,
                            "Whether a publication that only spies read counts as connected;"
                                    + " default for channels without an ssc key."));

    public static final DriverOption<Boolean> DELETE_ON_SHUTDOWN =
            row(
                    Option.flag(
                            "delete-on-shutdown",
                            true,
                            "Whether the driver deletes its directory on shutdown; otherwise tools"
                                    + " can still read counters, errors and losses."));

    public static final DriverOption<Long> DRAIN_TIMEOUT =
            row(
                    Option.duration(
                            "drain-timeout",
                            "5s",
                            0,
                            MAX_TIMEOUT_NS,
                            "Longest time that the driver drains its streams after SIGTERM before"
                                    + " it closes."));

    public static final DriverOption<Boolean> TERMINABLE =
            row(
                    Option.flag(
                            "terminable",
                            false,
                            "Whether clients may terminate the driver with a command."));

    public static final DriverOption<Integer> LATENCY_SAMPLES_PER_SECOND =
            row(
                    Option.count(
                            "latency-samples-per-second",
                            "0",
                            0,
                            1_000_000,
                            "Maximum number of samples per second for each hop of a stream, for"
                                    + " `verbus latency`; 0 disables sampling."));

    public static final DriverOption<Endpoint> METRICS =
            optional(
                    Option.of(
                            "metrics",
                            "none",
                            "an address of this host and a port, such as 127.0.0.1:9464",
                            "Address at which the driver serves /metrics, /healthz and /readyz over"
                                    + " HTTP; with port 0 the system chooses a free port.",
                            DriverOption::endpoint));

    public static final DriverOption<String> RESOLVER_NAME =
            optional(
                    Option.of(
                            "resolver.name",
                            "none",
                            "a name of 1 to 512 printable ASCII characters without spaces",
                            "Name by which other drivers find this one; enables name resolution"
                                    + " among drivers.",
                            Function.identity(),
                            DriverOption::isResolverName));

    public static final DriverOption<LocalInterface> RESOLVER_INTERFACE =
            row(
                    Option.of(
                            "resolver.interface",
                            "0.0.0.0:8050",
                            LocalInterface.RIGHT,
                            "Address and port at which the driver exchanges names with other"
                                    + " drivers.",
                            DriverOption::localInterface));

    public static final DriverOption<List<Endpoint>> RESOLVER_BOOTSTRAP_NEIGHBOR =
            row(
                    Option.of(
                            "resolver.bootstrap-neighbor",
                            "none",
                            "at most 20 addresses or host names, each with a port, separated by"
                                    + " commas",
                            "Drivers to which this driver first sends its name; they pass the name"
                                    + " on.",
                            DriverOption::endpoints,
                            neighbors -> neighbors.size() <= MAX_BOOTSTRAP_NEIGHBORS),
                    any -> List.of());

    public static final DriverOption<Long> RESOLVER_NEIGHBOR_TIMEOUT =
            resolverTime(
                    "neighbor-timeout",
                    "10s",
                    "Time after which the driver forgets a silent driver and its name.");

    public static final DriverOption<Long> RESOLVER_SELF_INTERVAL =
            resolverTime(
                    "self-resolution-interval",
                    "1s",
                    "Interval for sending the driver's own name.");

    public static final DriverOption<Long> RESOLVER_NEIGHBOR_INTERVAL =
            resolverTime(
                    "neighbor-resolution-interval",
                    "2s",
                    "Interval for sending the names learned from other drivers.");

    public static final DriverOption<Long> RESOLVER_BOOTSTRAP_INTERVAL =
            resolverTime(
                    "bootstrap-neighbor-resolution-interval",
                    "10s",
                    "Interval for looking up the bootstrap neighbors again.");

    /**
     * All options of the driver, in the order of their rows, which is also the order of the help.
     */
    public static final List<DriverOption<?>> ALL = List.copyOf(ROWS);

    private final Option<T> option;
    private final Function<DriverConfig, T> fallback;

    private DriverOption(Option<T> option, Function<DriverConfig, T> fallback) {
        this.option = option;
        this.fallback = fallback;
        ROWS.add(this);
    }

    private static <T> DriverOption<T> row(Option<T> option) {
        T preset = option.parse(option.preset());
        return row(option, any -> preset);
    }

    /** Creates a row whose default depends on other options or on the system. */
    private static <T> DriverOption<T> row(Option<T> option, Function<DriverConfig, T> fallback) {
        return new DriverOption<>(option, fallback);
    }

    /** Creates a row without a default: its value is null unless set. */
    private static <T> DriverOption<T> optional(Option<T> option) {
        return new DriverOption<>(option, null);
    }

    private static DriverOption<Long> resolverTime(String what, String preset, String help) {
        return row(
                Option.duration(
                        "resolver." + what, preset, MIN_UNTETHERED_NS, MAX_TIMEOUT_NS, help));
    }

    private static DriverOption<Idling> idle(String agent) {
        return row(
                Option.constant(
                        agent + ".idle",
                        Idling.BACKOFF,
                        Idling.values(),
                        "Idle strategy of the " + agent + "'s thread."));
    }

    private static DriverOption<Integer> cpu(String agent) {
        return row(
                Option.count(
                        agent + ".cpu",
                        "-1",
                        CpuAffinity.NONE,
                        CpuAffinity.MAX_CPUS - 1,
                        "CPU to which the " + agent + "'s thread is bound; -1 means any CPU."));
    }

    private static DriverOption<Long> threshold(String agent) {
        return row(
                Option.duration(
                        agent + ".cycle-threshold",
                        "100ms",
                        MIN_THRESHOLD_NS,
                        MAX_THRESHOLD_NS,
                        "Duration above which cycles of the " + agent + " count as slow."));
    }

    private static DriverOption<Long> share(Share share, String preset, String help) {
        return share(share, Option.total(share.option(), preset, 1, MAX_SHARE, help));
    }

    private static DriverOption<Long> share(Share share, Option<Long> total) {
        DriverOption<Long> row = row(total);
        SHARES.put(share, row);
        return row;
    }

    private static Option<Long> untethered(String what, String preset, String help) {
        return Option.duration(
                "untethered-" + what + "-timeout", preset, MIN_UNTETHERED_NS, MAX_TIMEOUT_NS, help);
    }

    /** Returns the option with a name, without prefix; null if the driver has none. */
    static DriverOption<?> named(String name) {
        return ALL.stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
    }

    /** Returns the options that limit what all clients together use. */
    static Map<Share, DriverOption<Long>> shares() {
        return Collections.unmodifiableMap(SHARES);
    }

    /** Returns the option's name without prefix. */
    public String name() {
        return option.name();
    }

    /** Returns the option with its default, unit, range and help. */
    public Option<T> option() {
        return option;
    }

    /**
     * Returns the value that applies if the option is not set; null if the option has no default.
     */
    T fallback(DriverConfig config) {
        return fallback == null ? null : fallback.apply(config);
    }

    /**
     * Checks a value that an application has set; null is valid if the option has no default.
     *
     * @throws BusException if the value is invalid.
     */
    void check(T value) {
        if (value != null || fallback != null) {
            option.check(value);
        }
    }

    /**
     * Parses and sets a value.
     *
     * @param builder builder in which to set the value.
     * @param text value as text.
     * @param source source of the value, for the message.
     * @throws BusException if the value is invalid.
     */
    void set(DriverConfigBuilder builder, String text, String source) {
        T value;
        try {
            value = option.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BusException(
                    source + " has the invalid value '" + text + "': " + e.getMessage(), e);
        }
        builder.set(this, value);
    }

    private static boolean isPath(Path path) {
        return !path.toString().isEmpty();
    }

    private static boolean isAuditFile(Path path) {
        return path.isAbsolute() || path.toString().equals(AUDIT_NAME);
    }

    private static boolean isResolverName(String name) {
        return !name.isEmpty()
                && name.length() <= MAX_RESOLVER_NAME
                && name.chars().allMatch(each -> each > ' ' && each < 0x7F);
    }

    private static LocalInterface localInterface(String text) {
        LocalInterface parsed = LocalInterface.parse(text);
        if (parsed == null) {
            throw new IllegalArgumentException(text);
        }
        return parsed;
    }

    private static List<Endpoint> endpoints(String text) {
        return Arrays.stream(text.split(",")).map(DriverOption::endpoint).toList();
    }

    private static Endpoint endpoint(String text) {
        try {
            return Endpoint.parse(text);
        } catch (BusException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static boolean isMtu(int bytes) {
        return bytes >= LogSpec.MIN_MTU
                && bytes <= LogSpec.MAX_MTU
                && bytes % FrameHeader.ALIGNMENT == 0;
    }
}
