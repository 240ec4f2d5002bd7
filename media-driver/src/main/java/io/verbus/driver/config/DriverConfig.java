// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.driver.files.DirectoryAccess;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareLimits;

import org.agrona.ErrorHandler;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Validated settings of a media driver. Immutable. {@link DriverConfigSources} lists their sources.
 */
public final class DriverConfig {
    private final Map<DriverOption<?>, Object> values;
    private final AgentConfig conductor;
    private final AgentConfig sender;
    private final AgentConfig receiver;
    private final UntetheredTimeouts untethered;
    private final ShareLimits shares;
    private final ResolverConfig resolver;
    private final Map<String, String> transportOptions;
    private final List<String> unusedOptions;
    private final ErrorHandler errorHandler;
    private final ErrorHandler warningHandler;
    private final ErrorHandler failureHandler;

    /**
     * Settings of one agent's thread.
     *
     * @param idling idle strategy.
     * @param cpu CPU to bind the thread to, or -1.
     * @param thresholdNs duration above which a cycle counts as too long.
     */
    public record AgentConfig(Idling idling, int cpu, long thresholdNs) {}

    /**
     * Adds the defaults, and checks the values that depend on each other.
     *
     * @throws BusException if a value is invalid.
     */
    DriverConfig(DriverConfigBuilder builder) {
        values = new HashMap<>(builder.values);
        DriverOptions.ALL.forEach(
                option -> values.computeIfAbsent(option, each -> each.fallback(this)));
        transportOptions = Map.copyOf(builder.transportOptions);
        unusedOptions = builder.unusedOptions;
        errorHandler = builder.errorHandler;
        warningHandler = builder.warningHandler;
        failureHandler = builder.failureHandler;
        conductor =
                new AgentConfig(
                        get(DriverOptions.CONDUCTOR_IDLE),
                        get(DriverOptions.CONDUCTOR_CPU),
                        get(DriverOptions.CONDUCTOR_THRESHOLD));
        sender =
                new AgentConfig(
                        get(DriverOptions.SENDER_IDLE),
                        get(DriverOptions.SENDER_CPU),
                        get(DriverOptions.SENDER_THRESHOLD));
        receiver =
                new AgentConfig(
                        get(DriverOptions.RECEIVER_IDLE),
                        get(DriverOptions.RECEIVER_CPU),
                        get(DriverOptions.RECEIVER_THRESHOLD));
        untethered =
                new UntetheredTimeouts(
                        get(DriverOptions.UNTETHERED_WINDOW_LIMIT),
                        get(DriverOptions.UNTETHERED_LINGER),
                        get(DriverOptions.UNTETHERED_RESTING));
        Map<Share, Long> totals = new EnumMap<>(Share.class);
        DriverOptions.shares().forEach((share, option) -> totals.put(share, get(option)));
        shares = new ShareLimits(get(DriverOptions.CLIENT_SHARE), totals);
        resolver = ResolverConfig.of(this, builder.values.containsKey(ResolverConfig.INTERFACE));
        checkUnblockTimeout();
        checkCpus();
    }

    private void checkUnblockTimeout() {
        DriverOptions.UNBLOCK_TIMEOUT.check(unblockTimeoutNs());
        if (unblockTimeoutNs() < clientLivenessTimeoutNs()) {
            throw new BusException(
                    "unblock-timeout of "
                            + unblockTimeoutNs()
                            + " ns is below the client-liveness-timeout of "
                            + clientLivenessTimeoutNs()
                            + " ns, so a live client could lose its claim: raise unblock-timeout");
        }
    }

    private void checkCpus() {
        if (threading() == ThreadingMode.INVOKER
                && (conductor.cpu >= 0 || sender.cpu >= 0 || receiver.cpu >= 0)) {
            throw new BusException(
                    "with threading=invoker the driver has no threads to bind to a CPU: remove "
                            + (conductor.cpu >= 0
                                    ? "conductor.cpu"
                                    : sender.cpu >= 0 ? "sender.cpu" : "receiver.cpu")
                            + ", and bind the thread that runs the invoker");
        }
    }

    /** Returns the defaults, with the directory {@code /dev/shm/aeron-USER}. */
    public static DriverConfig defaults() {
        return builder().build();
    }

    /** Returns a builder that begins with the defaults. */
    public static DriverConfigBuilder builder() {
        return new DriverConfigBuilder();
    }

    /**
     * Returns the value of an option: the value that was set, or else the default.
     *
     * @return value, in bytes or nanoseconds if it is a length or a time; null if the option has no
     *     default and is not set.
     */
    @SuppressWarnings("unchecked") // the builder puts values under options of their type
    public <T> T get(DriverOption<T> option) {
        return (T) values.get(option);
    }

    /** Returns the directory through which clients find the driver; the driver creates it. */
    public Path directory() {
        return get(DriverOptions.DIR);
    }

    /**
     * Returns the name or number of the group whose members may be clients, besides the driver's
     * own user; null for none.
     */
    public String directoryGroup() {
        return get(DriverOptions.DIRECTORY_GROUP);
    }

    /** Returns the access of the group's members. */
    public DirectoryAccess directoryAccess() {
        return get(DriverOptions.DIRECTORY_ACCESS);
    }

    /**
     * Returns the file that records which clients were admitted or refused; relative to the
     * directory.
     */
    public Path auditFile() {
        return get(DriverOptions.AUDIT_FILE);
    }

    /** Returns the length in bytes at which the next audit file begins. */
    public long auditLength() {
        return get(DriverOptions.AUDIT_LENGTH);
    }

    /**
     * Returns the maximum time to wait, after SIGTERM, until all streams are sent and read; 0 for
     * none.
     */
    public long drainTimeoutNs() {
        return get(DriverOptions.DRAIN_TIMEOUT);
    }

    /**
     * Returns the directory of a hugetlbfs mount for logs on huge pages; null for the driver
     * directory.
     */
    public Path logDirectory() {
        return get(DriverOptions.LOG_DIRECTORY);
    }

    /** Returns the threading mode: which agents share a thread. */
    public ThreadingMode threading() {
        return get(DriverOptions.THREADING);
    }

    /** Returns the time after which a silent client times out. */
    public long clientLivenessTimeoutNs() {
        return get(DriverOptions.CLIENT_LIVENESS_TIMEOUT);
    }

    /** Returns the time after which an uncommitted claim is filled with padding. */
    public long unblockTimeoutNs() {
        return get(DriverOptions.UNBLOCK_TIMEOUT);
    }

    /** Returns the time for which a stream is ignored after its image was rejected. */
    public long imageLivenessTimeoutNs() {
        return get(DriverOptions.IMAGE_LIVENESS_TIMEOUT);
    }

    /** Returns the default for channels without a {@code tether} key. */
    public boolean tetherSubscriptions() {
        return get(DriverOptions.TETHER_SUBSCRIPTIONS);
    }

    /** Returns the default for channels without a {@code rejoin} key. */
    public boolean rejoinStream() {
        return get(DriverOptions.REJOIN_STREAM);
    }

    /** Returns the time for which a log's file remains after its last user has left. */
    public long lingerNs() {
        return get(DriverOptions.LINGER);
    }

    /** Returns the duration above which a name lookup counts as slow. */
    public long lookUpThresholdNs() {
        return get(DriverOptions.LOOK_UP_THRESHOLD);
    }

    /** Returns the default term length of publications in bytes. */
    public int termLength() {
        return get(DriverOptions.TERM_LENGTH);
    }

    /** Returns the default MTU of publications in bytes. */
    public int mtu() {
        return get(DriverOptions.MTU);
    }

    /**
     * Returns the maximum number of bytes by which an IPC publication may be ahead of its slowest
     * subscriber; 0 for the largest possible window.
     */
    public int ipcWindow() {
        return get(DriverOptions.IPC_WINDOW);
    }

    /** Returns the length of the command ring buffer in bytes. */
    public int toDriverLength() {
        return get(DriverOptions.TO_DRIVER_LENGTH);
    }

    /** Returns the length of the event broadcast buffer in bytes. */
    public int toClientsLength() {
        return get(DriverOptions.TO_CLIENTS_LENGTH);
    }

    /** Returns the length of the counter values in bytes, 128 per counter. */
    public int counterValuesLength() {
        return get(DriverOptions.COUNTER_VALUES_LENGTH);
    }

    /** Returns the length of the distinct error log in bytes. */
    public int errorLogLength() {
        return get(DriverOptions.ERROR_LOG_LENGTH);
    }

    /** Returns the page length of the driver's files in bytes, except logs on huge pages. */
    public int filePageLength() {
        return get(DriverOptions.FILE_PAGE_SIZE);
    }

    /**
     * Returns the default for channels without an {@code ssc} key: whether spies alone connect a
     * publication.
     */
    public boolean spiesConnect() {
        return get(DriverOptions.SPIES_CONNECT);
    }

    /**
     * Returns whether to delete the directory when the driver closes; otherwise its counters,
     * errors and losses remain readable.
     */
    public boolean deleteOnShutdown() {
        return get(DriverOptions.DELETE_ON_SHUTDOWN);
    }

    /** Returns whether a client may end the driver. */
    public boolean terminable() {
        return get(DriverOptions.TERMINABLE);
    }

    /** Returns the maximum number of samples per second of each hop of a stream; 0 for none. */
    public int latencySamplesPerSecond() {
        return get(DriverOptions.LATENCY_SAMPLES_PER_SECOND);
    }

    /** Returns the address at which to serve metrics and probes over HTTP; null for none. */
    public Endpoint metrics() {
        return get(DriverOptions.METRICS);
    }

    /** Returns the settings of the conductor's thread. */
    public AgentConfig conductor() {
        return conductor;
    }

    /** Returns the settings of the sender's thread. */
    public AgentConfig sender() {
        return sender;
    }

    /** Returns the settings of the receiver's thread. */
    public AgentConfig receiver() {
        return receiver;
    }

    /** Returns the default timeouts of untethered subscribers. */
    public UntetheredTimeouts untethered() {
        return untethered;
    }

    /**
     * Returns the limits on what clients may use; log bytes of 0 allow as many as the file system
     * has.
     */
    public ShareLimits shares() {
        return shares;
    }

    /**
     * Returns the settings of name resolution among drivers; null if the driver does not take part.
     */
    public ResolverConfig resolver() {
        return resolver;
    }

    /** Returns the options of transports by name, such as {@code rdma.retry-count}. */
    public Map<String, String> transportOptions() {
        return transportOptions;
    }

    /** Returns Aeron's options that were given and have no effect here. */
    public List<String> unusedOptions() {
        return unusedOptions;
    }

    /** See {@link DriverConfigBuilder#errorHandler}. */
    public ErrorHandler errorHandler() {
        return errorHandler;
    }

    /** See {@link DriverConfigBuilder#warningHandler}. */
    public ErrorHandler warningHandler() {
        return warningHandler;
    }

    /** See {@link DriverConfigBuilder#failureHandler}. */
    public ErrorHandler failureHandler() {
        return failureHandler;
    }
}
