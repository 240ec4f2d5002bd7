// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.driver.config.DriverConfig.AgentConfig;
import io.verbus.driver.files.DirectoryAccess;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareLimits;

import org.agrona.ErrorHandler;

import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Builds a driver's settings, starting from the defaults. {@link DriverOption#ALL} has the default
 * and range of each option, {@link DriverConfig} its meaning.
 */
public final class DriverConfigBuilder extends DurationSettings {
    private static final long UNSET = -1;

    private Path directory = DriverDirectory.defaultPath();
    private String directoryGroup;
    private DirectoryAccess directoryAccess = DirectoryAccess.CLIENTS;
    private Path auditFile = Path.of(DriverOption.AUDIT_NAME);
    private long auditLength = 1 << 20;
    private long drainTimeoutNs = TimeUnit.SECONDS.toNanos(5);
    private Path logDirectory;
    private ThreadingMode threading = preset(DriverOption.THREADING);
    private AgentConfig conductor =
            new AgentConfig(
                    preset(DriverOption.CONDUCTOR_IDLE),
                    preset(DriverOption.CONDUCTOR_CPU),
                    preset(DriverOption.CONDUCTOR_THRESHOLD));
    private AgentConfig sender =
            new AgentConfig(
                    preset(DriverOption.SENDER_IDLE),
                    preset(DriverOption.SENDER_CPU),
                    preset(DriverOption.SENDER_THRESHOLD));
    private AgentConfig receiver =
            new AgentConfig(
                    preset(DriverOption.RECEIVER_IDLE),
                    preset(DriverOption.RECEIVER_CPU),
                    preset(DriverOption.RECEIVER_THRESHOLD));
    private long clientLivenessTimeoutNs = preset(DriverOption.CLIENT_LIVENESS_TIMEOUT);
    private long unblockTimeoutNs = UNSET;
    private long imageLivenessTimeoutNs = preset(DriverOption.IMAGE_LIVENESS_TIMEOUT);
    private boolean tetherSubscriptions = preset(DriverOption.TETHER_SUBSCRIPTIONS);
    private boolean rejoinStream = preset(DriverOption.REJOIN_STREAM);
    private long untetheredWindowLimitNs = preset(DriverOption.UNTETHERED_WINDOW_LIMIT);
    private long untetheredLingerNs = UntetheredTimeouts.AS_WINDOW_LIMIT;
    private long untetheredRestingNs = preset(DriverOption.UNTETHERED_RESTING);
    private long lingerNs = preset(DriverOption.LINGER);
    private long lookUpThresholdNs = preset(DriverOption.LOOK_UP_THRESHOLD);
    private int termLength = preset(DriverOption.TERM_LENGTH);
    private int mtu = preset(DriverOption.MTU);
    private int ipcWindow = preset(DriverOption.IPC_WINDOW);
    private int toDriverLength = preset(DriverOption.TO_DRIVER_LENGTH);
    private int toClientsLength = preset(DriverOption.TO_CLIENTS_LENGTH);
    private int counterValuesLength = preset(DriverOption.COUNTER_VALUES_LENGTH);
    private int errorLogLength = preset(DriverOption.ERROR_LOG_LENGTH);
    private int filePageLength = preset(DriverOption.FILE_PAGE_SIZE);
    private int clientShare = preset(DriverOption.CLIENT_SHARE);
    private final Map<Share, Long> shares = presetShares();
    private final Map<String, String> transportOptions = new TreeMap<>();
    private List<String> unusedOptions = List.of();
    private boolean spiesConnect;
    private boolean deleteOnShutdown = true;
    private boolean terminable;
    private Endpoint metrics;
    private String resolverName;
    private LocalInterface resolverInterface;
    private List<Endpoint> resolverBootstrapNeighbors = List.of();
    private long resolverNeighborTimeoutNs = preset(DriverOption.RESOLVER_NEIGHBOR_TIMEOUT);
    private long resolverSelfIntervalNs = preset(DriverOption.RESOLVER_SELF_INTERVAL);
    private long resolverNeighborIntervalNs = preset(DriverOption.RESOLVER_NEIGHBOR_INTERVAL);
    private long resolverBootstrapIntervalNs = preset(DriverOption.RESOLVER_BOOTSTRAP_INTERVAL);
    private int latencySamplesPerSecond = preset(DriverOption.LATENCY_SAMPLES_PER_SECOND);
    private ErrorHandler errorHandler = error -> {};
    private ErrorHandler warningHandler = warning -> {};
    private ErrorHandler failureHandler = failure -> {};

    DriverConfigBuilder() {}

    private static Map<Share, Long> presetShares() {
        Map<Share, Long> presets = new EnumMap<>(Share.class);
        presets.put(Share.CLIENTS, (long) preset(DriverOption.MAX_CLIENTS));
        presets.put(Share.SUBSCRIPTIONS, (long) preset(DriverOption.MAX_SUBSCRIPTIONS));
        presets.put(Share.PUBLICATIONS, (long) preset(DriverOption.MAX_PUBLICATIONS));
        presets.put(Share.DESTINATIONS, (long) preset(DriverOption.MAX_DESTINATIONS));
        presets.put(Share.ENDPOINTS, (long) preset(DriverOption.MAX_ENDPOINTS));
        presets.put(Share.STATIC_COUNTERS, (long) preset(DriverOption.MAX_STATIC_COUNTERS));
        presets.put(Share.LOOK_UPS, (long) preset(DriverOption.MAX_LOOK_UPS));
        presets.put(Share.WAITING_COMMANDS, (long) preset(DriverOption.MAX_WAITING_COMMANDS));
        presets.put(Share.LOG_BYTES, preset(DriverOption.MAX_LOG_BYTES));
        return presets;
    }

    private static <T> T preset(DriverOption<T> of) {
        return of.option().parse(of.option().preset());
    }

    /** Sets the directory through which clients find the driver. */
    public DriverConfigBuilder directory(Path value) {
        directory = value;
        return this;
    }

    /** Sets the access of the group's members; see {@link DriverConfig#directoryAccess}. */
    public DriverConfigBuilder directoryAccess(DirectoryAccess value) {
        directoryAccess = value;
        return this;
    }

    /** See {@link DriverConfig#auditFile}. */
    public DriverConfigBuilder auditFile(Path value) {
        auditFile = value;
        return this;
    }

    /** See {@link DriverConfig#auditLength}. */
    public DriverConfigBuilder auditLength(long value) {
        auditLength = value;
        return this;
    }

    /** See {@link DriverConfig#drainTimeoutNs}. */
    public DriverConfigBuilder drainTimeoutNs(long value) {
        drainTimeoutNs = value;
        return this;
    }

    /** Sets the group whose members may be clients: name or number; null for none. */
    public DriverConfigBuilder directoryGroup(String value) {
        directoryGroup = value;
        return this;
    }

    /** Sets the directory for logs on huge pages, on a hugetlbfs mount; null for none. */
    public DriverConfigBuilder logDirectory(Path value) {
        logDirectory = value;
        return this;
    }

    /** Sets which agents share a thread. */
    public DriverConfigBuilder threading(ThreadingMode value) {
        threading = value;
        return this;
    }

    /** Sets the idle strategy of all three agents. */
    public DriverConfigBuilder idling(Idling value) {
        return conductorIdling(value).senderIdling(value).receiverIdling(value);
    }

    /**
     * Sets the idle strategy of the conductor, and of the only thread of {@link
     * ThreadingMode#SHARED}.
     */
    public DriverConfigBuilder conductorIdling(Idling value) {
        conductor = new AgentConfig(value, conductor.cpu(), conductor.thresholdNs());
        return this;
    }

    /**
     * Sets the idle strategy of the sender, and of the network thread of {@link
     * ThreadingMode#SHARED_NETWORK}.
     */
    public DriverConfigBuilder senderIdling(Idling value) {
        sender = new AgentConfig(value, sender.cpu(), sender.thresholdNs());
        return this;
    }

    /** Sets the idle strategy of the receiver. */
    public DriverConfigBuilder receiverIdling(Idling value) {
        receiver = new AgentConfig(value, receiver.cpu(), receiver.thresholdNs());
        return this;
    }

    /** Sets the CPU of the conductor, and of the only thread of {@link ThreadingMode#SHARED}. */
    public DriverConfigBuilder conductorCpu(int value) {
        conductor = new AgentConfig(conductor.idling(), value, conductor.thresholdNs());
        return this;
    }

    /**
     * Sets the CPU of the sender, and of the network thread of {@link
     * ThreadingMode#SHARED_NETWORK}.
     */
    public DriverConfigBuilder senderCpu(int value) {
        sender = new AgentConfig(sender.idling(), value, sender.thresholdNs());
        return this;
    }

    /** Sets the CPU of the receiver. */
    public DriverConfigBuilder receiverCpu(int value) {
        receiver = new AgentConfig(receiver.idling(), value, receiver.thresholdNs());
        return this;
    }

    /** Sets the duration in nanoseconds above which a conductor cycle counts as too long. */
    public DriverConfigBuilder conductorThresholdNs(long value) {
        conductor = new AgentConfig(conductor.idling(), conductor.cpu(), value);
        return this;
    }

    /** Sets the duration in nanoseconds above which a sender cycle counts as too long. */
    public DriverConfigBuilder senderThresholdNs(long value) {
        sender = new AgentConfig(sender.idling(), sender.cpu(), value);
        return this;
    }

    /** Sets the duration in nanoseconds above which a receiver cycle counts as too long. */
    public DriverConfigBuilder receiverThresholdNs(long value) {
        receiver = new AgentConfig(receiver.idling(), receiver.cpu(), value);
        return this;
    }

    /** Sets the nanoseconds of silence after which a client times out. */
    public DriverConfigBuilder clientLivenessTimeoutNs(long value) {
        clientLivenessTimeoutNs = value;
        return this;
    }

    /**
     * Sets the nanoseconds after which an open claim is filled; by default 1.5 times the client
     * liveness timeout.
     */
    public DriverConfigBuilder unblockTimeoutNs(long value) {
        unblockTimeoutNs = value;
        return this;
    }

    /** Sets the nanoseconds for which a stream is ignored after its image was rejected. */
    public DriverConfigBuilder imageLivenessTimeoutNs(long value) {
        imageLivenessTimeoutNs = value;
        return this;
    }

    /**
     * @param value default for channels without a {@code tether} key; true unless set.
     */
    public DriverConfigBuilder tetherSubscriptions(boolean value) {
        tetherSubscriptions = value;
        return this;
    }

    /**
     * @param value default for channels without a {@code rejoin} key: whether detached subscribers
     *     rejoin, and lost or rejected streams are received again; true unless set.
     */
    public DriverConfigBuilder rejoinStream(boolean value) {
        rejoinStream = value;
        return this;
    }

    /** Sets the nanoseconds for which an untethered subscriber may lag before it is detached. */
    public DriverConfigBuilder untetheredWindowLimitNs(long value) {
        untetheredWindowLimitNs = value;
        return this;
    }

    /**
     * Sets the nanoseconds for which a detached subscriber still holds the stream back; by default
     * the window limit.
     */
    public DriverConfigBuilder untetheredLingerNs(long value) {
        untetheredLingerNs = value;
        return this;
    }

    /** Sets the nanoseconds after lingering until a detached subscriber rejoins. */
    public DriverConfigBuilder untetheredRestingNs(long value) {
        untetheredRestingNs = value;
        return this;
    }

    /** Sets the nanoseconds for which a log's file remains after its last user has left. */
    public DriverConfigBuilder lingerNs(long value) {
        lingerNs = value;
        return this;
    }

    /** Sets the duration in nanoseconds above which a name lookup counts as slow. */
    public DriverConfigBuilder lookUpThresholdNs(long value) {
        lookUpThresholdNs = value;
        return this;
    }

    /** Sets the maximum number of samples of each hop of a stream per second; 0 for none. */
    public DriverConfigBuilder latencySamplesPerSecond(int value) {
        latencySamplesPerSecond = value;
        return this;
    }

    /** Sets the default term length in bytes. */
    public DriverConfigBuilder termLength(int value) {
        termLength = value;
        return this;
    }

    /** Sets the default MTU in bytes. */
    public DriverConfigBuilder mtu(int value) {
        mtu = value;
        return this;
    }

    /**
     * Sets the bytes that an IPC publication may be ahead of its slowest subscriber; 0 for the
     * maximum, which is two terms, or half a term for Aeron channels.
     */
    public DriverConfigBuilder ipcWindow(int value) {
        ipcWindow = value;
        return this;
    }

    /** Sets the length of the command ring buffer in bytes. */
    public DriverConfigBuilder toDriverLength(int value) {
        toDriverLength = value;
        return this;
    }

    /** Sets the length of the event broadcast buffer in bytes. */
    public DriverConfigBuilder toClientsLength(int value) {
        toClientsLength = value;
        return this;
    }

    /** Sets the length of the counter values in bytes. */
    public DriverConfigBuilder counterValuesLength(int value) {
        counterValuesLength = value;
        return this;
    }

    /** Sets the length of the distinct error log in bytes. */
    public DriverConfigBuilder errorLogLength(int value) {
        errorLogLength = value;
        return this;
    }

    /**
     * @param value page length of the driver's files in bytes, a power of two from 4 KiB to 1 GiB;
     *     the lengths of {@code cnc.dat} and of logs are multiples of it. 4 KiB unless set.
     */
    public DriverConfigBuilder filePageLength(int value) {
        filePageLength = value;
        return this;
    }

    /** Sets an option of a transport, such as {@code rdma.retry-count}. */
    public DriverConfigBuilder transportOption(String name, String value) {
        transportOptions.put(name, value);
        return this;
    }

    /**
     * @param value default for channels without an {@code ssc} key: whether spies alone connect a
     *     publication; false unless set.
     */
    public DriverConfigBuilder spiesConnect(boolean value) {
        spiesConnect = value;
        return this;
    }

    /**
     * @param value whether to delete the directory when the driver closes; true unless set.
     */
    public DriverConfigBuilder deleteOnShutdown(boolean value) {
        deleteOnShutdown = value;
        return this;
    }

    /**
     * @param value whether a client may end the driver; false unless set.
     */
    public DriverConfigBuilder terminable(boolean value) {
        terminable = value;
        return this;
    }

    /** Sets the percentage of each total, and of the counters, that one client may use. */
    public DriverConfigBuilder clientShare(int percent) {
        clientShare = percent;
        return this;
    }

    /**
     * @param share share that has its own option.
     * @param total limit for all clients together.
     */
    public DriverConfigBuilder share(Share share, long total) {
        shares.put(share, total);
        return this;
    }

    public DriverConfigBuilder metrics(Endpoint value) {
        metrics = value;
        return this;
    }

    /** See {@link ResolverConfig#name}. */
    public DriverConfigBuilder resolverName(String value) {
        resolverName = value;
        return this;
    }

    /** See {@link ResolverConfig#localInterface}. */
    public DriverConfigBuilder resolverInterface(LocalInterface value) {
        resolverInterface = value;
        return this;
    }

    /** See {@link ResolverConfig#bootstrapNeighbors}. */
    public DriverConfigBuilder resolverBootstrapNeighbors(List<Endpoint> value) {
        resolverBootstrapNeighbors = List.copyOf(value);
        return this;
    }

    /** See {@link ResolverConfig#neighborTimeoutNs}. */
    public DriverConfigBuilder resolverNeighborTimeoutNs(long value) {
        resolverNeighborTimeoutNs = value;
        return this;
    }

    /** See {@link ResolverConfig#selfIntervalNs}. */
    public DriverConfigBuilder resolverSelfIntervalNs(long value) {
        resolverSelfIntervalNs = value;
        return this;
    }

    /** See {@link ResolverConfig#neighborIntervalNs}. */
    public DriverConfigBuilder resolverNeighborIntervalNs(long value) {
        resolverNeighborIntervalNs = value;
        return this;
    }

    /** See {@link ResolverConfig#bootstrapIntervalNs}. */
    public DriverConfigBuilder resolverBootstrapIntervalNs(long value) {
        resolverBootstrapIntervalNs = value;
        return this;
    }

    /** Returns null if none of the settings that enable name resolution is set. */
    private ResolverConfig resolver() {
        if (resolverName == null
                && resolverInterface == null
                && resolverBootstrapNeighbors.isEmpty()) {
            return null;
        }
        return new ResolverConfig(
                resolverName,
                resolverInterface == null
                        ? preset(DriverOption.RESOLVER_INTERFACE)
                        : resolverInterface,
                resolverBootstrapNeighbors,
                resolverNeighborTimeoutNs,
                resolverSelfIntervalNs,
                resolverNeighborIntervalNs,
                resolverBootstrapIntervalNs);
    }

    /** Sets Aeron's options that were given and have no effect here; counters show them. */
    public DriverConfigBuilder unusedOptions(Collection<String> names) {
        unusedOptions = List.copyOf(names);
        return this;
    }

    /**
     * Sets the handler called with every error, in addition to the error log. The driver calls this
     * handler and that of warnings on its own thread {@code verbus-errors}, one call at a time,
     * after logging the error. A handler that blocks does not block the agents: up to 256 errors
     * wait for it, and it receives the number of those dropped.
     */
    public DriverConfigBuilder errorHandler(ErrorHandler value) {
        errorHandler = value;
        return this;
    }

    /**
     * Sets the handler called with every warning. It shares the thread and the queue of {@link
     * #errorHandler}.
     */
    public DriverConfigBuilder warningHandler(ErrorHandler value) {
        warningHandler = value;
        return this;
    }

    /**
     * Sets the handler called once if the driver ends because one of its threads threw an {@link
     * Error}, such as an exhausted heap. It is called on a thread of the driver after the driver
     * has closed; in {@link ThreadingMode#INVOKER}, where the invoking thread closes the driver,
     * after it has stopped. An application that needs a driver can exit here, or launch a new one.
     */
    public DriverConfigBuilder failureHandler(ErrorHandler value) {
        failureHandler = value;
        return this;
    }

    /**
     * Validates the settings and returns them.
     *
     * @throws io.verbus.BusException if a value is invalid.
     */
    public DriverConfig build() {
        return new DriverConfig(
                directory,
                directoryGroup,
                directoryAccess,
                auditFile,
                auditLength,
                drainTimeoutNs,
                logDirectory,
                threading,
                conductor,
                sender,
                receiver,
                clientLivenessTimeoutNs,
                unblockTimeoutNs == UNSET ? clientLivenessTimeoutNs * 3 / 2 : unblockTimeoutNs,
                imageLivenessTimeoutNs,
                tetherSubscriptions,
                rejoinStream,
                new UntetheredTimeouts(
                        untetheredWindowLimitNs, untetheredLingerNs, untetheredRestingNs),
                lingerNs,
                lookUpThresholdNs,
                termLength,
                mtu,
                ipcWindow,
                toDriverLength,
                toClientsLength,
                counterValuesLength,
                errorLogLength,
                filePageLength,
                new ShareLimits(clientShare, shares),
                spiesConnect,
                deleteOnShutdown,
                terminable,
                latencySamplesPerSecond,
                metrics,
                resolver(),
                transportOptions,
                unusedOptions,
                errorHandler,
                warningHandler,
                failureHandler);
    }
}
