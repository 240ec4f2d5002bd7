// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.driver.files.DirectoryAccess;
import io.verbus.driver.share.Share;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.transport.Option;

import org.agrona.SystemUtil;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * An option of the driver and its setter. {@link #ALL} lists them; options of transports come from
 * their providers.
 *
 * @param <T> type of the value.
 * @param option option with its default and range.
 * @param setter sets the value in a builder.
 */
public record DriverOption<T>(Option<T> option, BiConsumer<DriverConfigBuilder, T> setter) {
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
    static final String AUDIT_NAME = "audit.log";

    static final DriverOption<Path> DIR =
            new DriverOption<>(
                    Option.of(
                            "dir",
                            "/dev/shm/aeron-USER",
                            "the path of a directory",
                            "Driver directory, on tmpfs, in which clients find the driver.",
                            DriverOption::path),
                    DriverConfigBuilder::directory);

    static final DriverOption<String> DIRECTORY_GROUP =
            new DriverOption<>(
                    Option.of(
                            "directory-group",
                            "none",
                            "the name or number of a group",
                            "Group whose members may be clients, in addition to the driver's user.",
                            DriverOption::group),
                    DriverConfigBuilder::directoryGroup);

    static final DriverOption<DirectoryAccess> DIRECTORY_ACCESS =
            new DriverOption<>(
                    Option.constant(
                            "directory-access",
                            DirectoryAccess.CLIENTS,
                            DirectoryAccess.values(),
                            "Whether members of the directory-group may be clients, or only read"
                                    + " counters and errors."),
                    DriverConfigBuilder::directoryAccess);

    static final DriverOption<Path> AUDIT_FILE =
            new DriverOption<>(
                    Option.of(
                            "audit-file",
                            AUDIT_NAME,
                            "an absolute path, or audit.log for that file in the driver directory",
                            "Audit log, with a line for each peer that the driver admits or"
                                    + " refuses.",
                            DriverOption::auditFile),
                    DriverConfigBuilder::auditFile);

    static final DriverOption<Long> AUDIT_LENGTH =
            new DriverOption<>(
                    Option.size(
                            "audit-length",
                            "1m",
                            4096,
                            1 << 30,
                            "Length in bytes at which the driver renames the audit file to FILE.1"
                                    + " and starts a new one."),
                    DriverConfigBuilder::auditLength);

    static final DriverOption<Long> DRAIN_TIMEOUT =
            new DriverOption<>(
                    Option.duration(
                            "drain-timeout",
                            "5s",
                            0,
                            MAX_TIMEOUT_NS,
                            "Longest time for which the driver drains its streams after SIGTERM"
                                    + " before it closes."),
                    DriverConfigBuilder::drainTimeoutNs);

    static final DriverOption<Path> LOG_DIRECTORY =
            new DriverOption<>(
                    Option.of(
                            "log-directory",
                            "none",
                            "the path of a directory",
                            "Directory on a hugetlbfs mount, to put logs on huge pages.",
                            DriverOption::path),
                    DriverConfigBuilder::logDirectory);

    static final DriverOption<ThreadingMode> THREADING =
            new DriverOption<>(
                    Option.constant(
                            "threading",
                            ThreadingMode.DEDICATED,
                            ThreadingMode.values(),
                            "Which agents share a thread."),
                    DriverConfigBuilder::threading);

    static final DriverOption<Idling> CONDUCTOR_IDLE =
            idle("conductor", DriverConfigBuilder::conductorIdling);

    static final DriverOption<Idling> SENDER_IDLE =
            idle("sender", DriverConfigBuilder::senderIdling);

    static final DriverOption<Idling> RECEIVER_IDLE =
            idle("receiver", DriverConfigBuilder::receiverIdling);

    static final DriverOption<Integer> CONDUCTOR_CPU =
            cpu("conductor", DriverConfigBuilder::conductorCpu);

    static final DriverOption<Integer> SENDER_CPU = cpu("sender", DriverConfigBuilder::senderCpu);

    static final DriverOption<Integer> RECEIVER_CPU =
            cpu("receiver", DriverConfigBuilder::receiverCpu);

    static final DriverOption<Long> CONDUCTOR_THRESHOLD =
            threshold("conductor", DriverConfigBuilder::conductorThresholdNs);

    static final DriverOption<Long> SENDER_THRESHOLD =
            threshold("sender", DriverConfigBuilder::senderThresholdNs);

    static final DriverOption<Long> RECEIVER_THRESHOLD =
            threshold("receiver", DriverConfigBuilder::receiverThresholdNs);

    static final DriverOption<Long> CLIENT_LIVENESS_TIMEOUT =
            new DriverOption<>(
                    Option.duration(
                            "client-liveness-timeout",
                            "10s",
                            MIN_TIMEOUT_NS,
                            MAX_TIMEOUT_NS,
                            "Time without a keep-alive after which the driver considers a client"
                                    + " dead; most clients send one every 500 ms."),
                    DriverConfigBuilder::clientLivenessTimeoutNs);

    static final DriverOption<Long> UNBLOCK_TIMEOUT =
            new DriverOption<>(
                    Option.duration(
                            "unblock-timeout",
                            "15s",
                            MIN_TIMEOUT_NS,
                            MAX_TIMEOUT_NS,
                            "Time after which the driver turns an uncommitted claim into padding;"
                                    + " 1.5 times the client-liveness-timeout unless set, and never"
                                    + " below it."),
                    DriverConfigBuilder::unblockTimeoutNs);

    static final DriverOption<Long> IMAGE_LIVENESS_TIMEOUT =
            new DriverOption<>(
                    Option.duration(
                            "image-liveness-timeout",
                            "10s",
                            MIN_TIMEOUT_NS,
                            MAX_TIMEOUT_NS,
                            "Time for which the driver ignores a stream whose image a subscriber"
                                    + " has rejected."),
                    DriverConfigBuilder::imageLivenessTimeoutNs);

    static final DriverOption<Boolean> TETHER_SUBSCRIPTIONS =
            new DriverOption<>(
                    Option.flag(
                            "tether-subscriptions",
                            true,
                            "Default for channels without a tether key."),
                    DriverConfigBuilder::tetherSubscriptions);

    static final DriverOption<Boolean> REJOIN_STREAM =
            new DriverOption<>(
                    Option.flag(
                            "rejoin-stream", true, "Default for channels without a rejoin key."),
                    DriverConfigBuilder::rejoinStream);

    static final DriverOption<Long> UNTETHERED_WINDOW_LIMIT =
            untethered(
                    "window-limit",
                    "5s",
                    "How long an untethered subscriber may lag by 3/4 of the window before the"
                            + " driver detaches it.",
                    DriverConfigBuilder::untetheredWindowLimitNs);

    static final DriverOption<Long> UNTETHERED_LINGER =
            untethered(
                    "linger",
                    "5s",
                    "How long the position of a detached subscriber still counts; the"
                            + " untethered-window-limit-timeout unless set.",
                    DriverConfigBuilder::untetheredLingerNs);

    static final DriverOption<Long> UNTETHERED_RESTING =
            untethered(
                    "resting",
                    "10s",
                    "Time from the end of untethered-linger-timeout until a detached subscriber"
                            + " rejoins.",
                    DriverConfigBuilder::untetheredRestingNs);

    static final DriverOption<Long> LINGER =
            new DriverOption<>(
                    Option.duration(
                            "linger",
                            "3s",
                            0,
                            MAX_TIMEOUT_NS,
                            "Time for which a log's file is kept after its last user has gone."),
                    DriverConfigBuilder::lingerNs);

    static final DriverOption<Long> LOOK_UP_THRESHOLD =
            new DriverOption<>(
                    Option.duration(
                            "look-up-threshold",
                            "5s",
                            MIN_THRESHOLD_NS,
                            MAX_THRESHOLD_NS,
                            "Duration above which look-ups of names are counted as slow."),
                    DriverConfigBuilder::lookUpThresholdNs);

    static final DriverOption<Integer> TERM_LENGTH =
            new DriverOption<>(
                    Option.powerOfTwo(
                            "term-length",
                            SystemUtil.formatSize(ChannelUri.DEFAULT_TERM_LENGTH),
                            LogLayout.MIN_TERM_LENGTH,
                            LogLayout.MAX_TERM_LENGTH,
                            "Default length of a term in bytes, for channels without a term-length"
                                    + " key."),
                    DriverConfigBuilder::termLength);

    static final DriverOption<Integer> MTU =
            new DriverOption<>(
                    Option.size(
                            "mtu",
                            Integer.toString(ChannelUri.DEFAULT_MTU),
                            "a multiple of 32 from 64 to 65504",
                            DriverOption::isMtu,
                            "Default length of the longest frame in bytes, for channels without an"
                                    + " mtu key."),
                    DriverConfigBuilder::mtu);

    static final DriverOption<Integer> IPC_WINDOW =
            new DriverOption<>(
                    Option.size(
                            "ipc-window",
                            "0",
                            "from 0 to below 2g",
                            bytes -> bytes >= 0,
                            "Maximum bytes by which an IPC publication may be ahead of its slowest"
                                + " subscriber; 0: two terms, or half a term for aeron: channels."),
                    DriverConfigBuilder::ipcWindow);

    static final DriverOption<Integer> TO_DRIVER_LENGTH =
            new DriverOption<>(
                    Option.powerOfTwo(
                            "to-driver-length",
                            "1m",
                            MIN_SECTION,
                            MAX_SECTION,
                            "Length of the command buffer in bytes."),
                    DriverConfigBuilder::toDriverLength);

    static final DriverOption<Integer> TO_CLIENTS_LENGTH =
            new DriverOption<>(
                    Option.powerOfTwo(
                            "to-clients-length",
                            "1m",
                            MIN_SECTION,
                            MAX_SECTION,
                            "Length of the event buffer in bytes."),
                    DriverConfigBuilder::toClientsLength);

    static final DriverOption<Integer> COUNTER_VALUES_LENGTH =
            new DriverOption<>(
                    Option.powerOfTwo(
                            "counter-values-length",
                            "8m",
                            MIN_SECTION,
                            MAX_SECTION,
                            "Length of the counters' values in bytes; each counter takes 128."),
                    DriverConfigBuilder::counterValuesLength);

    static final DriverOption<Integer> ERROR_LOG_LENGTH =
            new DriverOption<>(
                    Option.powerOfTwo(
                            "error-log-length",
                            "4m",
                            MIN_SECTION,
                            MAX_SECTION,
                            "Length of the error log in bytes."),
                    DriverConfigBuilder::errorLogLength);

    static final DriverOption<Integer> FILE_PAGE_SIZE =
            new DriverOption<>(
                    Option.powerOfTwo(
                            "file-page-size",
                            "4k",
                            LogLayout.MIN_PAGE_LENGTH,
                            LogLayout.MAX_PAGE_LENGTH,
                            "Page size in bytes: the lengths of cnc.dat and of logs are multiples"
                                + " of it. Huge pages of a log-directory override it for logs."),
                    DriverConfigBuilder::filePageLength);

    static final DriverOption<Integer> CLIENT_SHARE =
            new DriverOption<>(
                    Option.count(
                            "client-share",
                            "75",
                            1,
                            100,
                            "Percentage of each total below, and of the counters, that one client"
                                    + " may use."),
                    DriverConfigBuilder::clientShare);

    static final DriverOption<Integer> MAX_CLIENTS =
            share(Share.CLIENTS, "4096", "Maximum number of clients.");

    static final DriverOption<Integer> MAX_SUBSCRIPTIONS =
            share(
                    Share.SUBSCRIPTIONS,
                    "20000",
                    "Maximum number of subscriptions of all clients; one with a channel of more"
                            + " than 1 KiB counts once for each KiB.");

    static final DriverOption<Integer> MAX_PUBLICATIONS =
            share(
                    Share.PUBLICATIONS,
                    "10000",
                    "Maximum number of publications of all clients; a shared one counts once for"
                            + " each add.");

    static final DriverOption<Integer> MAX_DESTINATIONS =
            share(
                    Share.DESTINATIONS,
                    "10000",
                    "Maximum number of destinations of all publications and subscriptions.");

    static final DriverOption<Integer> MAX_ENDPOINTS =
            share(
                    Share.ENDPOINTS,
                    "10000",
                    "Maximum number of endpoints of all channels, each a socket or a connection.");

    static final DriverOption<Integer> MAX_STATIC_COUNTERS =
            share(
                    Share.STATIC_COUNTERS,
                    "1000",
                    "Maximum number of static counters of all clients; each remains until the"
                            + " driver ends.");

    static final DriverOption<Integer> MAX_LOOK_UPS =
            share(
                    Share.LOOK_UPS,
                    "4000",
                    "Maximum number of host names that are looked up at a time.");

    static final DriverOption<Integer> MAX_WAITING_COMMANDS =
            share(
                    Share.WAITING_COMMANDS,
                    "6000",
                    "Maximum number of commands that wait for names, transports or logs at a"
                            + " time.");

    static final DriverOption<Long> MAX_LOG_BYTES =
            new DriverOption<>(
                    Option.size(
                            Share.LOG_BYTES.option(),
                            "0",
                            0,
                            1L << 50,
                            "Maximum bytes of the logs of all publications; 0 means the size of"
                                    + " their file system."),
                    (builder, bytes) -> builder.share(Share.LOG_BYTES, bytes));

    static final DriverOption<Boolean> SPIES_CONNECT =
            new DriverOption<>(
                    Option.flag(
                            "spies-connect",
                            false,
                            "Whether a publication with only spies is connected; default for"
                                    + " channels without an ssc key."),
                    DriverConfigBuilder::spiesConnect);

    static final DriverOption<Boolean> DELETE_ON_SHUTDOWN =
            new DriverOption<>(
                    Option.flag(
                            "delete-on-shutdown",
                            true,
                            "Whether the driver deletes its directory when it ends; if not, tools"
                                    + " can still read counters, errors and losses."),
                    DriverConfigBuilder::deleteOnShutdown);

    static final DriverOption<Boolean> TERMINABLE =
            new DriverOption<>(
                    Option.flag(
                            "terminable",
                            false,
                            "Whether clients may terminate the driver with a command."),
                    DriverConfigBuilder::terminable);

    static final DriverOption<Integer> LATENCY_SAMPLES_PER_SECOND =
            new DriverOption<>(
                    Option.count(
                            "latency-samples-per-second",
                            "0",
                            0,
                            1_000_000,
                            "Maximum number of samples per second of each hop of a stream, for"
                                    + " `verbus latency`; 0 samples nothing."),
                    DriverConfigBuilder::latencySamplesPerSecond);

    static final DriverOption<Endpoint> METRICS =
            new DriverOption<>(
                    Option.of(
                            "metrics",
                            "none",
                            "an address of this host and a port, as in 127.0.0.1:9464",
                            "Address at which the driver serves /metrics, /healthz and /readyz over"
                                    + " HTTP; port 0 chooses a free port.",
                            DriverOption::endpoint),
                    DriverConfigBuilder::metrics);

    static final DriverOption<String> RESOLVER_NAME =
            new DriverOption<>(
                    Option.of(
                            "resolver.name",
                            "none",
                            "a name of 1 to 512 printable ASCII characters without spaces",
                            "Name by which other drivers find this one; enables name resolution"
                                    + " among drivers.",
                            DriverOption::resolverName),
                    DriverConfigBuilder::resolverName);

    static final DriverOption<LocalInterface> RESOLVER_INTERFACE =
            new DriverOption<>(
                    Option.of(
                            "resolver.interface",
                            "0.0.0.0:8050",
                            LocalInterface.RIGHT,
                            "Address and port at which the driver exchanges names with other"
                                    + " drivers.",
                            DriverOption::localInterface),
                    DriverConfigBuilder::resolverInterface);

    static final DriverOption<List<Endpoint>> RESOLVER_BOOTSTRAP_NEIGHBOR =
            new DriverOption<>(
                    Option.of(
                            "resolver.bootstrap-neighbor",
                            "none",
                            "at most 20 addresses or host names, each with a port, separated by"
                                    + " commas",
                            "Drivers to which this driver first sends its name; they pass it on.",
                            DriverOption::endpoints),
                    DriverConfigBuilder::resolverBootstrapNeighbors);

    static final DriverOption<Long> RESOLVER_NEIGHBOR_TIMEOUT =
            resolverTime(
                    "neighbor-timeout",
                    "10s",
                    "Time after which the driver forgets a silent driver and its name.",
                    DriverConfigBuilder::resolverNeighborTimeoutNs);

    static final DriverOption<Long> RESOLVER_SELF_INTERVAL =
            resolverTime(
                    "self-resolution-interval",
                    "1s",
                    "Interval for sending the driver's own name.",
                    DriverConfigBuilder::resolverSelfIntervalNs);

    static final DriverOption<Long> RESOLVER_NEIGHBOR_INTERVAL =
            resolverTime(
                    "neighbor-resolution-interval",
                    "2s",
                    "Interval for sending the names learned from other drivers.",
                    DriverConfigBuilder::resolverNeighborIntervalNs);

    static final DriverOption<Long> RESOLVER_BOOTSTRAP_INTERVAL =
            resolverTime(
                    "bootstrap-neighbor-resolution-interval",
                    "10s",
                    "Interval for looking up the bootstrap neighbors again.",
                    DriverConfigBuilder::resolverBootstrapIntervalNs);

    /** All options of the driver, in help order. */
    public static final List<DriverOption<?>> ALL =
            List.of(
                    DIR,
                    DIRECTORY_GROUP,
                    DIRECTORY_ACCESS,
                    AUDIT_FILE,
                    AUDIT_LENGTH,
                    LOG_DIRECTORY,
                    THREADING,
                    CONDUCTOR_IDLE,
                    SENDER_IDLE,
                    RECEIVER_IDLE,
                    CONDUCTOR_CPU,
                    SENDER_CPU,
                    RECEIVER_CPU,
                    CONDUCTOR_THRESHOLD,
                    SENDER_THRESHOLD,
                    RECEIVER_THRESHOLD,
                    CLIENT_LIVENESS_TIMEOUT,
                    UNBLOCK_TIMEOUT,
                    IMAGE_LIVENESS_TIMEOUT,
                    TETHER_SUBSCRIPTIONS,
                    REJOIN_STREAM,
                    UNTETHERED_WINDOW_LIMIT,
                    UNTETHERED_LINGER,
                    UNTETHERED_RESTING,
                    LINGER,
                    LOOK_UP_THRESHOLD,
                    TERM_LENGTH,
                    MTU,
                    IPC_WINDOW,
                    TO_DRIVER_LENGTH,
                    TO_CLIENTS_LENGTH,
                    COUNTER_VALUES_LENGTH,
                    ERROR_LOG_LENGTH,
                    FILE_PAGE_SIZE,
                    CLIENT_SHARE,
                    MAX_CLIENTS,
                    MAX_SUBSCRIPTIONS,
                    MAX_PUBLICATIONS,
                    MAX_DESTINATIONS,
                    MAX_ENDPOINTS,
                    MAX_STATIC_COUNTERS,
                    MAX_LOOK_UPS,
                    MAX_WAITING_COMMANDS,
                    MAX_LOG_BYTES,
                    SPIES_CONNECT,
                    DELETE_ON_SHUTDOWN,
                    DRAIN_TIMEOUT,
                    TERMINABLE,
                    LATENCY_SAMPLES_PER_SECOND,
                    METRICS,
                    RESOLVER_NAME,
                    RESOLVER_INTERFACE,
                    RESOLVER_BOOTSTRAP_NEIGHBOR,
                    RESOLVER_NEIGHBOR_TIMEOUT,
                    RESOLVER_SELF_INTERVAL,
                    RESOLVER_NEIGHBOR_INTERVAL,
                    RESOLVER_BOOTSTRAP_INTERVAL);

    private static DriverOption<Long> resolverTime(
            String what,
            String preset,
            String meaning,
            BiConsumer<DriverConfigBuilder, Long> setter) {
        return new DriverOption<>(
                Option.duration(
                        "resolver." + what, preset, MIN_UNTETHERED_NS, MAX_TIMEOUT_NS, meaning),
                setter);
    }

    private static DriverOption<Idling> idle(
            String agent, BiConsumer<DriverConfigBuilder, Idling> setter) {
        return new DriverOption<>(
                Option.constant(
                        agent + ".idle",
                        Idling.BACKOFF,
                        Idling.values(),
                        "What the " + agent + "'s thread does when there is no work."),
                setter);
    }

    private static DriverOption<Integer> cpu(
            String agent, BiConsumer<DriverConfigBuilder, Integer> setter) {
        return new DriverOption<>(
                Option.count(
                        agent + ".cpu",
                        "-1",
                        CpuAffinity.NONE,
                        CpuAffinity.MAX_CPUS - 1,
                        "CPU that the " + agent + "'s thread is bound to; -1 is any."),
                setter);
    }

    private static DriverOption<Long> threshold(
            String agent, BiConsumer<DriverConfigBuilder, Long> setter) {
        return new DriverOption<>(
                Option.duration(
                        agent + ".cycle-threshold",
                        "100ms",
                        MIN_THRESHOLD_NS,
                        MAX_THRESHOLD_NS,
                        "Duration above which cycles of the " + agent + " are counted as slow."),
                setter);
    }

    private static DriverOption<Integer> share(Share share, String preset, String meaning) {
        return new DriverOption<>(
                Option.count(share.option(), preset, 1, MAX_SHARE, meaning),
                (builder, count) -> builder.share(share, count));
    }

    private static DriverOption<Long> untethered(
            String what,
            String preset,
            String meaning,
            BiConsumer<DriverConfigBuilder, Long> setter) {
        return new DriverOption<>(
                Option.duration(
                        "untethered-" + what + "-timeout",
                        preset,
                        MIN_UNTETHERED_NS,
                        MAX_TIMEOUT_NS,
                        meaning),
                setter);
    }

    /** Returns the option's name without prefix. */
    public String name() {
        return option.name();
    }

    /**
     * Parses and sets a value.
     *
     * @param builder builder to set it in.
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
        setter.accept(builder, value);
    }

    /**
     * Checks a value that an application has set.
     *
     * @param text value, as an operator would write it.
     * @throws BusException if the value is invalid.
     */
    void check(String text) {
        try {
            option.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BusException(name() + " is " + text + ": " + e.getMessage(), e);
        }
    }

    /**
     * Checks a total that an application has set for a share.
     *
     * @throws BusException if no option sets it, or it is out of the option's range.
     */
    static void checkShare(Share share, long total) {
        for (DriverOption<?> option : ALL) {
            if (option.name().equals(share.option()) && !share.isOfCounters()) {
                option.check(Long.toString(total));
                return;
            }
        }
        throw new BusException(
                "no option sets the total of " + share.plural() + ": set " + share.option());
    }

    private static Path path(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(text);
        }
        return Path.of(text);
    }

    private static Path auditFile(String text) {
        Path path = path(text);
        if (!path.isAbsolute() && !text.equals(AUDIT_NAME)) {
            throw new IllegalArgumentException(text);
        }
        return path;
    }

    private static String group(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    private static String resolverName(String text) {
        boolean isName =
                !text.isEmpty()
                        && text.length() <= MAX_RESOLVER_NAME
                        && text.chars().allMatch(each -> each > ' ' && each < 0x7F);
        if (!isName) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    private static LocalInterface localInterface(String text) {
        LocalInterface parsed = LocalInterface.parse(text);
        if (parsed == null) {
            throw new IllegalArgumentException(text);
        }
        return parsed;
    }

    private static List<Endpoint> endpoints(String text) {
        List<Endpoint> all = Arrays.stream(text.split(",")).map(DriverOption::endpoint).toList();
        if (all.size() > MAX_BOOTSTRAP_NEIGHBORS) {
            throw new IllegalArgumentException(text);
        }
        return all;
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
