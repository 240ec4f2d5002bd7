// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.driver.files.DirectoryAccess;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.share.Share;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.transport.Option;

import org.agrona.SystemUtil;

import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Options of the driver, one row each: a row gives the option's name, default, unit, range and help
 * to the builder, to each source that operators write, to {@code --help} and to the reference page.
 * Options of name resolution are in {@link ResolverConfig}; those of transports come from their
 * providers.
 */
public final class DriverOptions {
    private static final int MIN_SECTION = 64 * 1024;
    private static final int MAX_SECTION = 256 * 1024 * 1024;
    private static final long MIN_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Minimum of the untethered timeouts. The driver checks slow subscribers every 10 ms. */
    private static final long MIN_UNTETHERED_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long MIN_THRESHOLD_NS = 1;
    private static final long MAX_THRESHOLD_NS = TimeUnit.DAYS.toNanos(365);
    private static final long MAX_TIMEOUT_NS = TimeUnit.DAYS.toNanos(1);

    private static final int MAX_SHARE = 100_000_000;

    /** Name of the audit file in the driver directory. */
    private static final String AUDIT_NAME = "audit.log";

    private static final DriverOption.Rows ROWS = new DriverOption.Rows();
    private static final Map<Share, DriverOption<Long>> SHARES = new EnumMap<>(Share.class);

    public static final DriverOption<Path> DIR =
            ROWS.row(
                    Option.of(
                            "dir",
                            "/dev/shm/aeron-USER",
                            "the path of a directory",
                            "Directory, on tmpfs, in which clients find the driver.",
                            Path::of,
                            DriverOptions::isPath),
                    any -> DriverDirectory.defaultPath());

    public static final DriverOption<String> DIRECTORY_GROUP =
            ROWS.optional(
                    Option.of(
                            "directory-group",
                            "none",
                            "the name or number of a group",
                            "Group whose members may be clients, in addition to the driver's user.",
                            Function.identity(),
                            group -> !group.isEmpty()));

    public static final DriverOption<DirectoryAccess> DIRECTORY_ACCESS =
            ROWS.row(
                    Option.constant(
                            "directory-access",
                            DirectoryAccess.CLIENTS,
                            DirectoryAccess.values(),
                            "Whether members of the directory-group may be clients, or may only"
                                    + " read counters and errors."));

    public static final DriverOption<Path> AUDIT_FILE =
            ROWS.row(
                    Option.of(
                            "audit-file",
                            AUDIT_NAME,
                            "an absolute path, or audit.log for a file of this name in the driver"
                                    + " directory",
                            "Audit log, with a line for each peer that the driver admits or"
                                    + " refuses.",
                            Path::of,
                            DriverOptions::isAuditFile));

    public static final DriverOption<Long> AUDIT_LENGTH =
            ROWS.row(
                    Option.size(
                            "audit-length",
                            "1m",
                            4096,
                            1 << 30,
                            "Length in bytes at which the driver renames the audit file to FILE.1"
                                    + " and starts a new one."));

    public static final DriverOption<Path> LOG_DIRECTORY =
            ROWS.optional(
                    Option.of(
                            "log-directory",
                            "none",
                            "the path of a directory",
                            "Directory, on a hugetlbfs mount, in which the driver creates logs, so"
                                    + " that they use huge pages.",
                            Path::of,
                            DriverOptions::isPath));

    public static final DriverOption<ThreadingMode> THREADING =
            ROWS.row(
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
            ROWS.row(
                    Option.duration(
                            "client-liveness-timeout",
                            "10s",
                            MIN_TIMEOUT_NS,
                            MAX_TIMEOUT_NS,
                            "Time without a keep-alive after which the driver considers a client"
                                    + " dead; most clients send one every 500 ms."));

    public static final DriverOption<Long> UNBLOCK_TIMEOUT =
            ROWS.row(
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
            ROWS.row(
                    Option.duration(
                            "image-liveness-timeout",
                            "10s",
                            MIN_TIMEOUT_NS,
                            MAX_TIMEOUT_NS,
                            "How long the driver ignores a rejected stream, and how long an image"
                                    + " with several sources may have no live source."));

    public static final DriverOption<Boolean> TETHER_SUBSCRIPTIONS =
            ROWS.row(
                    Option.flag(
                            "tether-subscriptions",
                            true,
                            "Default for channels without a tether key."));

    public static final DriverOption<Boolean> REJOIN_STREAM =
            ROWS.row(
                    Option.flag(
                            "rejoin-stream", true, "Default for channels without a rejoin key."));

    public static final DriverOption<Long> UNTETHERED_WINDOW_LIMIT =
            ROWS.row(
                    untethered(
                            "window-limit",
                            "5s",
                            "How long an untethered subscriber may lag by 3/4 of the window before"
                                    + " the driver detaches it."));

    public static final DriverOption<Long> UNTETHERED_LINGER =
            ROWS.row(
                    untethered(
                            "linger",
                            "5s",
                            "How long a detached subscriber continues to back-pressure the stream;"
                                    + " by default the untethered-window-limit-timeout."),
                    any -> UntetheredTimeouts.AS_WINDOW_LIMIT);

    public static final DriverOption<Long> UNTETHERED_RESTING =
            ROWS.row(
                    untethered(
                            "resting",
                            "10s",
                            "Time from the end of untethered-linger-timeout until a detached"
                                    + " subscriber rejoins."));

    public static final DriverOption<Long> LINGER =
            ROWS.row(
                    Option.duration(
                            "linger",
                            "3s",
                            0,
                            MAX_TIMEOUT_NS,
                            "How long the driver keeps a log file after its last user has gone."));

    public static final DriverOption<Long> LOOK_UP_THRESHOLD =
            ROWS.row(
                    Option.duration(
                            "look-up-threshold",
                            "5s",
                            MIN_THRESHOLD_NS,
                            MAX_THRESHOLD_NS,
                            "Duration above which name look-ups count as slow."));

    public static final DriverOption<Integer> TERM_LENGTH =
            ROWS.row(
                    Option.powerOfTwo(
                            "term-length",
                            SystemUtil.formatSize(ChannelUri.DEFAULT_TERM_LENGTH),
                            LogLayout.MIN_TERM_LENGTH,
                            LogLayout.MAX_TERM_LENGTH,
                            "Default length of a term in bytes, for channels without a term-length"
                                    + " key."));

    public static final DriverOption<Integer> MTU =
            ROWS.row(
                    Option.size(
                            "mtu",
                            Integer.toString(ChannelUri.DEFAULT_MTU),
                            "a multiple of 32 from 64 to 65504",
                            DriverOptions::isMtu,
                            "Default maximum frame length in bytes, for channels without an mtu"
                                    + " key."));

    public static final DriverOption<Integer> IPC_WINDOW =
            ROWS.row(
                    Option.size(
                            "ipc-window",
                            "0",
                            "at least 0 and less than 2g",
                            bytes -> bytes >= 0,
                            "How many bytes an IPC publication may be ahead of its slowest"
                                    + " subscriber; 0 means two terms, or half a term for aeron:"
                                    + " channels."));

    public static final DriverOption<Integer> TO_DRIVER_LENGTH =
            section("to-driver-length", "1m", "Length of the command buffer in bytes.");

    public static final DriverOption<Integer> TO_CLIENTS_LENGTH =
            section(
                    "to-clients-length",
                    "1m",
                    "Length of the event buffer in bytes; the longer it is, the longer"
                            + " clients may stall without missing events.");

    public static final DriverOption<Integer> COUNTER_VALUES_LENGTH =
            section(
                    "counter-values-length",
                    "8m",
                    "Length in bytes of the buffer for counter values; each counter takes"
                            + " 128 bytes.");

    public static final DriverOption<Integer> ERROR_LOG_LENGTH =
            section("error-log-length", "4m", "Length of the error log in bytes.");

    public static final DriverOption<Integer> FILE_PAGE_SIZE =
            ROWS.row(
                    Option.powerOfTwo(
                            "file-page-size",
                            "4k",
                            LogLayout.MIN_PAGE_LENGTH,
                            LogLayout.MAX_PAGE_LENGTH,
                            "Page size in bytes to which the lengths of cnc.dat and of logs are"
                                    + " rounded up; in a log-directory, the huge page size applies"
                                    + " instead."));

    public static final DriverOption<Integer> CLIENT_SHARE =
            ROWS.row(
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
            ROWS.row(
                    Option.flag(
                            "spies-connect",
                            false,
                            "Whether a publication that only spies read counts as connected;"
                                    + " default for channels without an ssc key."));

    public static final DriverOption<Boolean> DELETE_ON_SHUTDOWN =
            ROWS.row(
                    Option.flag(
                            "delete-on-shutdown",
                            true,
                            "Whether the driver deletes its directory on shutdown; otherwise tools"
                                    + " can still read counters, errors and losses."));

    public static final DriverOption<Long> DRAIN_TIMEOUT =
            ROWS.row(
                    Option.duration(
                            "drain-timeout",
                            "5s",
                            0,
                            MAX_TIMEOUT_NS,
                            "Longest time that the driver drains its streams after SIGTERM before"
                                    + " it closes."));

    public static final DriverOption<Boolean> TERMINABLE =
            ROWS.row(
                    Option.flag(
                            "terminable",
                            false,
                            "Whether clients may terminate the driver with a command."));

    public static final DriverOption<Integer> LATENCY_SAMPLES_PER_SECOND =
            ROWS.row(
                    Option.count(
                            "latency-samples-per-second",
                            "0",
                            0,
                            1_000_000,
                            "Maximum number of samples per second for each hop of a stream, for"
                                    + " `verbus latency`; 0 disables sampling."));

    public static final DriverOption<Endpoint> METRICS =
            ROWS.optional(
                    Option.of(
                            "metrics",
                            "none",
                            "an address of this host and a port, such as 127.0.0.1:9464",
                            "Address at which the driver serves /metrics, /healthz and /readyz over"
                                    + " HTTP; with port 0 the system chooses a free port.",
                            Endpoint::parse));

    /**
     * All options of the driver, in the order of their rows, which is also the order of the help.
     */
    public static final List<DriverOption<?>> ALL = ROWS.followedBy(ResolverConfig.ROWS);

    private DriverOptions() {}

    private static DriverOption<Idling> idle(String agent) {
        return ROWS.row(
                Option.constant(
                        agent + ".idle",
                        Idling.BACKOFF,
                        Idling.values(),
                        "Idle strategy of the " + agent + "'s thread."));
    }

    private static DriverOption<Integer> cpu(String agent) {
        return ROWS.row(
                Option.count(
                        agent + ".cpu",
                        "-1",
                        CpuAffinity.NONE,
                        CpuAffinity.MAX_CPUS - 1,
                        "CPU to which the " + agent + "'s thread is bound; -1 means any CPU."));
    }

    private static DriverOption<Long> threshold(String agent) {
        return ROWS.row(
                Option.duration(
                        agent + ".cycle-threshold",
                        "100ms",
                        MIN_THRESHOLD_NS,
                        MAX_THRESHOLD_NS,
                        "Duration above which cycles of the " + agent + " count as slow."));
    }

    private static DriverOption<Integer> section(String name, String preset, String help) {
        return ROWS.row(Option.powerOfTwo(name, preset, MIN_SECTION, MAX_SECTION, help));
    }

    private static DriverOption<Long> share(Share share, String preset, String help) {
        return share(share, Option.total(share.option(), preset, 1, MAX_SHARE, help));
    }

    private static DriverOption<Long> share(Share share, Option<Long> total) {
        DriverOption<Long> row = ROWS.row(total);
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

    private static boolean isPath(Path path) {
        return !path.toString().isEmpty();
    }

    private static boolean isAuditFile(Path path) {
        return path.isAbsolute() || path.toString().equals(AUDIT_NAME);
    }

    private static boolean isMtu(int bytes) {
        return bytes >= LogSpec.MIN_MTU
                && bytes <= LogSpec.MAX_MTU
                && bytes % FrameHeader.ALIGNMENT == 0;
    }
}
