// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.driver.files.DirectoryAccess;
import io.verbus.driver.share.Share;

import org.agrona.ErrorHandler;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Builds a driver's settings, starting from the defaults. {@link DriverOptions#ALL} has the default
 * and range of each option, {@link DriverConfig} its meaning.
 */
public final class DriverConfigBuilder {
    final Map<DriverOption<?>, Object> values = new HashMap<>();
    final Map<String, String> transportOptions = new TreeMap<>();
    List<String> unusedOptions = List.of();
    ErrorHandler errorHandler = error -> {};
    ErrorHandler warningHandler = warning -> {};
    ErrorHandler failureHandler = failure -> {};

    DriverConfigBuilder() {}

    /**
     * Sets the value of an option.
     *
     * @param option option to set.
     * @param value value, in bytes or nanoseconds if it is a length or a time; null for none, where
     *     the option has no default.
     * @throws BusException if the value is out of the option's range.
     */
    public <T> DriverConfigBuilder set(DriverOption<T> option, T value) {
        option.check(value);
        values.put(option, value);
        return this;
    }

    /** Sets the directory through which clients find the driver. */
    public DriverConfigBuilder directory(Path value) {
        return set(DriverOptions.DIR, value);
    }

    /** Sets the access of the group's members; see {@link DriverConfig#directoryAccess}. */
    public DriverConfigBuilder directoryAccess(DirectoryAccess value) {
        return set(DriverOptions.DIRECTORY_ACCESS, value);
    }

    /** See {@link DriverConfig#auditFile}. */
    public DriverConfigBuilder auditFile(Path value) {
        return set(DriverOptions.AUDIT_FILE, value);
    }

    /** See {@link DriverConfig#auditLength}. */
    public DriverConfigBuilder auditLength(long value) {
        return set(DriverOptions.AUDIT_LENGTH, value);
    }

    /** See {@link DriverConfig#drainTimeoutNs}. */
    public DriverConfigBuilder drainTimeoutNs(long value) {
        return set(DriverOptions.DRAIN_TIMEOUT, value);
    }

    /** Calls {@link #drainTimeoutNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder drainTimeout(Duration value) {
        return drainTimeoutNs(value.toNanos());
    }

    /** Sets the group whose members may be clients: name or number; null for none. */
    public DriverConfigBuilder directoryGroup(String value) {
        return set(DriverOptions.DIRECTORY_GROUP, value);
    }

    /** Sets the directory for logs on huge pages, on a hugetlbfs mount; null for none. */
    public DriverConfigBuilder logDirectory(Path value) {
        return set(DriverOptions.LOG_DIRECTORY, value);
    }

    /** Sets which agents share a thread. */
    public DriverConfigBuilder threading(ThreadingMode value) {
        return set(DriverOptions.THREADING, value);
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
        return set(DriverOptions.CONDUCTOR_IDLE, value);
    }

    /**
     * Sets the idle strategy of the sender, and of the network thread of {@link
     * ThreadingMode#SHARED_NETWORK}.
     */
    public DriverConfigBuilder senderIdling(Idling value) {
        return set(DriverOptions.SENDER_IDLE, value);
    }

    /** Sets the idle strategy of the receiver. */
    public DriverConfigBuilder receiverIdling(Idling value) {
        return set(DriverOptions.RECEIVER_IDLE, value);
    }

    /** Sets the CPU of the conductor, and of the only thread of {@link ThreadingMode#SHARED}. */
    public DriverConfigBuilder conductorCpu(int value) {
        return set(DriverOptions.CONDUCTOR_CPU, value);
    }

    /**
     * Sets the CPU of the sender, and of the network thread of {@link
     * ThreadingMode#SHARED_NETWORK}.
     */
    public DriverConfigBuilder senderCpu(int value) {
        return set(DriverOptions.SENDER_CPU, value);
    }

    /** Sets the CPU of the receiver. */
    public DriverConfigBuilder receiverCpu(int value) {
        return set(DriverOptions.RECEIVER_CPU, value);
    }

    /** Sets the duration in nanoseconds above which a conductor cycle counts as too long. */
    public DriverConfigBuilder conductorThresholdNs(long value) {
        return set(DriverOptions.CONDUCTOR_THRESHOLD, value);
    }

    /** Calls {@link #conductorThresholdNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder conductorThreshold(Duration value) {
        return conductorThresholdNs(value.toNanos());
    }

    /** Sets the duration in nanoseconds above which a sender cycle counts as too long. */
    public DriverConfigBuilder senderThresholdNs(long value) {
        return set(DriverOptions.SENDER_THRESHOLD, value);
    }

    /** Calls {@link #senderThresholdNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder senderThreshold(Duration value) {
        return senderThresholdNs(value.toNanos());
    }

    /** Sets the duration in nanoseconds above which a receiver cycle counts as too long. */
    public DriverConfigBuilder receiverThresholdNs(long value) {
        return set(DriverOptions.RECEIVER_THRESHOLD, value);
    }

    /** Calls {@link #receiverThresholdNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder receiverThreshold(Duration value) {
        return receiverThresholdNs(value.toNanos());
    }

    /** Sets the nanoseconds of silence after which a client times out. */
    public DriverConfigBuilder clientLivenessTimeoutNs(long value) {
        return set(DriverOptions.CLIENT_LIVENESS_TIMEOUT, value);
    }

    /** Calls {@link #clientLivenessTimeoutNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder clientLivenessTimeout(Duration value) {
        return clientLivenessTimeoutNs(value.toNanos());
    }

    /**
     * Sets the nanoseconds after which an open claim becomes padding; by default 1.5 times the
     * client liveness timeout.
     */
    public DriverConfigBuilder unblockTimeoutNs(long value) {
        return set(DriverOptions.UNBLOCK_TIMEOUT, value);
    }

    /** Calls {@link #unblockTimeoutNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder unblockTimeout(Duration value) {
        return unblockTimeoutNs(value.toNanos());
    }

    /** Sets the nanoseconds for which a stream is ignored after its image was rejected. */
    public DriverConfigBuilder imageLivenessTimeoutNs(long value) {
        return set(DriverOptions.IMAGE_LIVENESS_TIMEOUT, value);
    }

    /** Calls {@link #imageLivenessTimeoutNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder imageLivenessTimeout(Duration value) {
        return imageLivenessTimeoutNs(value.toNanos());
    }

    /** Sets the default for channels without a {@code tether} key; true unless set. */
    public DriverConfigBuilder tetherSubscriptions(boolean value) {
        return set(DriverOptions.TETHER_SUBSCRIPTIONS, value);
    }

    /**
     * Sets the default for channels without a {@code rejoin} key: whether detached subscribers
     * rejoin, and lost or rejected streams are received again; true unless set.
     */
    public DriverConfigBuilder rejoinStream(boolean value) {
        return set(DriverOptions.REJOIN_STREAM, value);
    }

    /** Sets the nanoseconds for which an untethered subscriber may lag before it is detached. */
    public DriverConfigBuilder untetheredWindowLimitNs(long value) {
        return set(DriverOptions.UNTETHERED_WINDOW_LIMIT, value);
    }

    /** Calls {@link #untetheredWindowLimitNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder untetheredWindowLimit(Duration value) {
        return untetheredWindowLimitNs(value.toNanos());
    }

    /**
     * Sets the nanoseconds for which a detached subscriber still holds the stream back; by default
     * the window limit.
     */
    public DriverConfigBuilder untetheredLingerNs(long value) {
        return set(DriverOptions.UNTETHERED_LINGER, value);
    }

    /** Calls {@link #untetheredLingerNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder untetheredLinger(Duration value) {
        return untetheredLingerNs(value.toNanos());
    }

    /** Sets the nanoseconds after lingering until a detached subscriber rejoins. */
    public DriverConfigBuilder untetheredRestingNs(long value) {
        return set(DriverOptions.UNTETHERED_RESTING, value);
    }

    /** Calls {@link #untetheredRestingNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder untetheredResting(Duration value) {
        return untetheredRestingNs(value.toNanos());
    }

    /** Sets the nanoseconds for which a log's file remains after its last user has left. */
    public DriverConfigBuilder lingerNs(long value) {
        return set(DriverOptions.LINGER, value);
    }

    /** Calls {@link #lingerNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder linger(Duration value) {
        return lingerNs(value.toNanos());
    }

    /** Sets the duration in nanoseconds above which a name lookup counts as slow. */
    public DriverConfigBuilder lookUpThresholdNs(long value) {
        return set(DriverOptions.LOOK_UP_THRESHOLD, value);
    }

    /** Calls {@link #lookUpThresholdNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder lookUpThreshold(Duration value) {
        return lookUpThresholdNs(value.toNanos());
    }

    /** Sets the maximum number of samples of each hop of a stream per second; 0 for none. */
    public DriverConfigBuilder latencySamplesPerSecond(int value) {
        return set(DriverOptions.LATENCY_SAMPLES_PER_SECOND, value);
    }

    /** Sets the default term length in bytes. */
    public DriverConfigBuilder termLength(int value) {
        return set(DriverOptions.TERM_LENGTH, value);
    }

    /** Sets the default MTU in bytes. */
    public DriverConfigBuilder mtu(int value) {
        return set(DriverOptions.MTU, value);
    }

    /**
     * Sets the number of bytes by which an IPC publication may be ahead of its slowest subscriber;
     * 0 for the maximum, which is two terms, or half a term for Aeron channels.
     */
    public DriverConfigBuilder ipcWindow(int value) {
        return set(DriverOptions.IPC_WINDOW, value);
    }

    /** Sets the length of the command ring buffer in bytes. */
    public DriverConfigBuilder toDriverLength(int value) {
        return set(DriverOptions.TO_DRIVER_LENGTH, value);
    }

    /** Sets the length of the event broadcast buffer in bytes. */
    public DriverConfigBuilder toClientsLength(int value) {
        return set(DriverOptions.TO_CLIENTS_LENGTH, value);
    }

    /** Sets the length of the counter values in bytes. */
    public DriverConfigBuilder counterValuesLength(int value) {
        return set(DriverOptions.COUNTER_VALUES_LENGTH, value);
    }

    /** Sets the length of the distinct error log in bytes. */
    public DriverConfigBuilder errorLogLength(int value) {
        return set(DriverOptions.ERROR_LOG_LENGTH, value);
    }

    /**
     * Sets the page length of the driver's files in bytes, a power of two from 4 KiB to 1 GiB; the
     * lengths of {@code cnc.dat} and of logs are multiples of it. 4 KiB unless set.
     */
    public DriverConfigBuilder filePageLength(int value) {
        return set(DriverOptions.FILE_PAGE_SIZE, value);
    }

    /** Sets an option of a transport, such as {@code rdma.retry-count}. */
    public DriverConfigBuilder transportOption(String name, String value) {
        transportOptions.put(name, value);
        return this;
    }

    /**
     * Sets the default for channels without an {@code ssc} key: whether spies alone connect a
     * publication; false unless set.
     */
    public DriverConfigBuilder spiesConnect(boolean value) {
        return set(DriverOptions.SPIES_CONNECT, value);
    }

    /** Sets whether to delete the directory when the driver closes; true unless set. */
    public DriverConfigBuilder deleteOnShutdown(boolean value) {
        return set(DriverOptions.DELETE_ON_SHUTDOWN, value);
    }

    /** Sets whether a client may end the driver; false unless set. */
    public DriverConfigBuilder terminable(boolean value) {
        return set(DriverOptions.TERMINABLE, value);
    }

    /** Sets the percentage of each total, and of the counters, that one client may use. */
    public DriverConfigBuilder clientShare(int percent) {
        return set(DriverOptions.CLIENT_SHARE, percent);
    }

    /**
     * Sets the total of a share.
     *
     * @param share share that has its own option.
     * @param total limit for all clients together.
     * @throws BusException if no option sets the total of this share.
     */
    public DriverConfigBuilder share(Share share, long total) {
        DriverOption<Long> option = DriverOptions.shares().get(share);
        if (option == null) {
            throw new BusException(
                    "no option sets the total of " + share.plural() + ": set " + share.option());
        }
        return set(option, total);
    }

    public DriverConfigBuilder metrics(Endpoint value) {
        return set(DriverOptions.METRICS, value);
    }

    /** See {@link ResolverConfig#name}. */
    public DriverConfigBuilder resolverName(String value) {
        return set(ResolverConfig.NAME, value);
    }

    /** See {@link ResolverConfig#localInterface}. */
    public DriverConfigBuilder resolverInterface(LocalInterface value) {
        return set(ResolverConfig.INTERFACE, value);
    }

    /** See {@link ResolverConfig#bootstrapNeighbors}. */
    public DriverConfigBuilder resolverBootstrapNeighbors(List<Endpoint> value) {
        return set(ResolverConfig.BOOTSTRAP_NEIGHBOR, List.copyOf(value));
    }

    /** See {@link ResolverConfig#neighborTimeoutNs}. */
    public DriverConfigBuilder resolverNeighborTimeoutNs(long value) {
        return set(ResolverConfig.NEIGHBOR_TIMEOUT, value);
    }

    /** Calls {@link #resolverNeighborTimeoutNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder resolverNeighborTimeout(Duration value) {
        return resolverNeighborTimeoutNs(value.toNanos());
    }

    /** See {@link ResolverConfig#selfIntervalNs}. */
    public DriverConfigBuilder resolverSelfIntervalNs(long value) {
        return set(ResolverConfig.SELF_INTERVAL, value);
    }

    /** Calls {@link #resolverSelfIntervalNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder resolverSelfInterval(Duration value) {
        return resolverSelfIntervalNs(value.toNanos());
    }

    /** See {@link ResolverConfig#neighborIntervalNs}. */
    public DriverConfigBuilder resolverNeighborIntervalNs(long value) {
        return set(ResolverConfig.NEIGHBOR_INTERVAL, value);
    }

    /** Calls {@link #resolverNeighborIntervalNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder resolverNeighborInterval(Duration value) {
        return resolverNeighborIntervalNs(value.toNanos());
    }

    /** See {@link ResolverConfig#bootstrapIntervalNs}. */
    public DriverConfigBuilder resolverBootstrapIntervalNs(long value) {
        return set(ResolverConfig.BOOTSTRAP_INTERVAL, value);
    }

    /** Calls {@link #resolverBootstrapIntervalNs(long)} with the nanoseconds of a duration. */
    public DriverConfigBuilder resolverBootstrapInterval(Duration value) {
        return resolverBootstrapIntervalNs(value.toNanos());
    }

    /** Sets Aeron's options that were given and have no effect here; counters show them. */
    public DriverConfigBuilder unusedOptions(Collection<String> names) {
        unusedOptions = List.copyOf(names);
        return this;
    }

    /**
     * Sets the handler called with every error, in addition to the error log. The driver calls this
     * handler and the warning handler on its own thread {@code verbus-errors}, one call at a time,
     * after logging the error. A handler that blocks does not block the agents: up to 256 errors
     * wait for it, and it receives the number of dropped errors.
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
     * Error}, such as {@link OutOfMemoryError}. It is called on a thread of the driver after the
     * driver has closed; in {@link ThreadingMode#INVOKER}, possibly before the invoking thread has
     * closed the driver. An application that needs a driver can exit here, or launch a new one.
     */
    public DriverConfigBuilder failureHandler(ErrorHandler value) {
        failureHandler = value;
        return this;
    }

    /**
     * Validates the settings and returns them.
     *
     * @throws BusException if a value is invalid.
     */
    public DriverConfig build() {
        return new DriverConfig(this);
    }
}
