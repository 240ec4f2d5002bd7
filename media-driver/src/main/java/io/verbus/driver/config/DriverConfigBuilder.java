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
 * Sets what differs from a driver's defaults. {@link DriverOption#ALL} has the default and the
 * range of each option, {@link DriverConfig} what it means.
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

    /** Where clients find the driver. */
    public DriverConfigBuilder directory(Path value) {
        directory = value;
        return this;
    }

    /** Group whose members may be clients: name or number; null for none. */
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

    /** See {@link DriverConfig#directoryGroup}. */
    public DriverConfigBuilder directoryGroup(String value) {
        directoryGroup = value;
        return this;
    }

    /** Where logs lie on huge pages: a directory of a hugetlbfs mount; null for nowhere. */
    public DriverConfigBuilder logDirectory(Path value) {
        logDirectory = value;
        return this;
    }

    /** Which agents share a thread. */
    public DriverConfigBuilder threading(ThreadingMode value) {
        threading = value;
        return this;
    }

    /** Idling of all three agents. */
    public DriverConfigBuilder idling(Idling value) {
        return conductorIdling(value).senderIdling(value).receiverIdling(value);
    }

    /** Idling of the conductor, and of the one thread of {@link ThreadingMode#SHARED}. */
    public DriverConfigBuilder conductorIdling(Idling value) {
        conductor = new AgentConfig(value, conductor.cpu(), conductor.thresholdNs());
        return this;
    }

    /** Idling of the sender, and of the network thread of {@link ThreadingMode#SHARED_NETWORK}. */
    public DriverConfigBuilder senderIdling(Idling value) {
        sender = new AgentConfig(value, sender.cpu(), sender.thresholdNs());
        return this;
    }

    /** Idling of the receiver. */
    public DriverConfigBuilder receiverIdling(Idling value) {
        receiver = new AgentConfig(value, receiver.cpu(), receiver.thresholdNs());
        return this;
    }

    /** CPU of the conductor, and of the one thread of {@link ThreadingMode#SHARED}. */
    public DriverConfigBuilder conductorCpu(int value) {
        conductor = new AgentConfig(conductor.idling(), value, conductor.thresholdNs());
        return this;
    }

    /** CPU of the sender, and of the network thread of {@link ThreadingMode#SHARED_NETWORK}. */
    public DriverConfigBuilder senderCpu(int value) {
        sender = new AgentConfig(sender.idling(), value, sender.thresholdNs());
        return this;
    }

    /** CPU of the receiver. */
    public DriverConfigBuilder receiverCpu(int value) {
        receiver = new AgentConfig(receiver.idling(), value, receiver.thresholdNs());
        return this;
    }

    /** Nanoseconds that a cycle of the conductor may take until it is counted as too long. */
    public DriverConfigBuilder conductorThresholdNs(long value) {
        conductor = new AgentConfig(conductor.idling(), conductor.cpu(), value);
        return this;
    }

    /** Nanoseconds that a cycle of the sender may take until it is counted as too long. */
    public DriverConfigBuilder senderThresholdNs(long value) {
        sender = new AgentConfig(sender.idling(), sender.cpu(), value);
        return this;
    }

    /** Nanoseconds that a cycle of the receiver may take until it is counted as too long. */
    public DriverConfigBuilder receiverThresholdNs(long value) {
        receiver = new AgentConfig(receiver.idling(), receiver.cpu(), value);
        return this;
    }

    /** Nanoseconds after which a silent client is given up. */
    public DriverConfigBuilder clientLivenessTimeoutNs(long value) {
        clientLivenessTimeoutNs = value;
        return this;
    }

    /** Nanoseconds after which an open claim is filled; 1.5 x the client liveness if not set. */
    public DriverConfigBuilder unblockTimeoutNs(long value) {
        unblockTimeoutNs = value;
        return this;
    }

    /** Nanoseconds for which a stream is not received again whose image was rejected. */
    public DriverConfigBuilder imageLivenessTimeoutNs(long value) {
        imageLivenessTimeoutNs = value;
        return this;
    }

    /**
     * @param value whether subscribers hold their streams back whose channels do not say; true
     *     unless set.
     */
    public DriverConfigBuilder tetherSubscriptions(boolean value) {
        tetherSubscriptions = value;
        return this;
    }

    /**
     * @param value whether subscribers that were let go join again, and streams of peers that were
     *     lost or rejected are received again, where the channel does not say; true unless set.
     */
    public DriverConfigBuilder rejoinStream(boolean value) {
        rejoinStream = value;
        return this;
    }

    /** Nanoseconds after which a slow subscriber is let go that does not hold its stream back. */
    public DriverConfigBuilder untetheredWindowLimitNs(long value) {
        untetheredWindowLimitNs = value;
        return this;
    }

    /** Nanoseconds for which it still holds the stream back; as the window limit if not set. */
    public DriverConfigBuilder untetheredLingerNs(long value) {
        untetheredLingerNs = value;
        return this;
    }

    /** Nanoseconds after that, until it joins again. */
    public DriverConfigBuilder untetheredRestingNs(long value) {
        untetheredRestingNs = value;
        return this;
    }

    /** Nanoseconds for which a log's file stays after its last user has gone. */
    public DriverConfigBuilder lingerNs(long value) {
        lingerNs = value;
        return this;
    }

    /** Nanoseconds that the look-up of a name may take until it is counted as slow. */
    public DriverConfigBuilder lookUpThresholdNs(long value) {
        lookUpThresholdNs = value;
        return this;
    }

    /** Bytes of a term where the channel names none. */
    public DriverConfigBuilder termLength(int value) {
        termLength = value;
        return this;
    }

    /** Bytes of the longest frame where the channel names none. */
    public DriverConfigBuilder mtu(int value) {
        mtu = value;
        return this;
    }

    /**
     * Bytes that an IPC publication may be ahead of its slowest subscriber; 0 for two terms, the
     * most.
     */
    public DriverConfigBuilder ipcWindow(int value) {
        ipcWindow = value;
        return this;
    }

    /** Bytes of the command ring buffer. */
    public DriverConfigBuilder toDriverLength(int value) {
        toDriverLength = value;
        return this;
    }

    /** Bytes of the event broadcast buffer. */
    public DriverConfigBuilder toClientsLength(int value) {
        toClientsLength = value;
        return this;
    }

    /** Bytes of the counters' values. */
    public DriverConfigBuilder counterValuesLength(int value) {
        counterValuesLength = value;
        return this;
    }

    /** Bytes of the distinct error log. */
    public DriverConfigBuilder errorLogLength(int value) {
        errorLogLength = value;
        return this;
    }

    /**
     * @param value bytes of a page of the driver's files, a power of two from 4 KiB to 1 GiB: the
     *     lengths of {@code cnc.dat} and of logs are multiples of it. 4 KiB unless set.
     */
    public DriverConfigBuilder filePageLength(int value) {
        filePageLength = value;
        return this;
    }

    /** Option of a transport, such as {@code rdma.retry-count}. */
    public DriverConfigBuilder transportOption(String name, String value) {
        transportOptions.put(name, value);
        return this;
    }

    /**
     * @param value whether a publication that only spies read is connected, where its channel does
     *     not say; false unless set.
     */
    public DriverConfigBuilder spiesConnect(boolean value) {
        spiesConnect = value;
        return this;
    }

    /**
     * @param value whether the directory is deleted when the driver closes; true unless set.
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

    /** Percent that one client may have of each total, and of the counters. */
    public DriverConfigBuilder clientShare(int percent) {
        clientShare = percent;
        return this;
    }

    /**
     * @param share that has an option of its own.
     * @param total that all clients together may have of it.
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

    /** Null where none of what turns name resolution on is set. */
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

    /** Names of Aeron's options that were given and mean nothing here: counters tell of them. */
    public DriverConfigBuilder unusedOptions(Collection<String> names) {
        unusedOptions = List.copyOf(names);
        return this;
    }

    /**
     * Told every error besides the error log. The driver calls this handler and that of warnings on
     * one thread of its own, {@code verbus-errors}, one call at a time, after the error was logged.
     * A handler that blocks stops no agent: 256 errors wait for it, and it is told how many others
     * were passed over.
     */
    public DriverConfigBuilder errorHandler(ErrorHandler value) {
        errorHandler = value;
        return this;
    }

    /**
     * Told what works, but not as it should. Called on the thread of {@link #errorHandler}, with
     * which it shares the queue.
     */
    public DriverConfigBuilder warningHandler(ErrorHandler value) {
        warningHandler = value;
        return this;
    }

    /**
     * Told once if the driver ends by itself, because one of its threads met an {@link Error}, such
     * as an exhausted heap. Called on a thread of the driver when it has closed; in {@link
     * ThreadingMode#INVOKER}, where the invoking thread closes it, when it has stopped. An
     * application that cannot go on without a driver ends itself here, or launches another one.
     */
    public DriverConfigBuilder failureHandler(ErrorHandler value) {
        failureHandler = value;
        return this;
    }

    /**
     * Checks and fixes the settings.
     *
     * @throws io.verbus.BusException that names the wrong one.
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
                metrics,
                resolver(),
                transportOptions,
                unusedOptions,
                errorHandler,
                warningHandler,
                failureHandler);
    }
}
