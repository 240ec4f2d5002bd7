// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.driver.files.DirectoryAccess;
import io.verbus.driver.share.ShareLimits;

import org.agrona.ErrorHandler;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Validated settings of a media driver. {@link DriverConfigSources} lists their sources.
 *
 * @param directory directory through which clients find the driver; the driver creates it.
 * @param directoryGroup name or number of the group whose members may be clients, besides the
 *     driver's own user; null for none.
 * @param directoryAccess access of the group's members.
 * @param auditFile file that records which clients were admitted or refused; relative to the
 *     directory.
 * @param auditLength length in bytes at which the next audit file begins.
 * @param drainTimeoutNs time that streams get to arrive and be read after SIGTERM; 0 for none.
 * @param logDirectory directory of a hugetlbfs mount for logs on huge pages; null for the driver
 *     directory.
 * @param threading threading mode: which agents share a thread.
 * @param conductor settings of the conductor's thread.
 * @param sender settings of the sender's thread.
 * @param receiver settings of the receiver's thread.
 * @param clientLivenessTimeoutNs time after which a silent client times out.
 * @param unblockTimeoutNs time after which an uncommitted claim is filled with padding.
 * @param imageLivenessTimeoutNs time for which a stream is ignored after its image was rejected.
 * @param tetherSubscriptions default for channels without a {@code tether} key.
 * @param rejoinStream default for channels without a {@code rejoin} key.
 * @param untethered default timeouts of untethered subscribers.
 * @param lingerNs time for which a log's file remains after its last user has left.
 * @param lookUpThresholdNs duration above which a name lookup counts as slow.
 * @param termLength default term length of publications in bytes.
 * @param mtu default MTU of publications in bytes.
 * @param ipcWindow maximum number of bytes that an IPC publication may be ahead of its slowest
 *     subscriber; 0 for the largest possible window.
 * @param toDriverLength length of the command ring buffer in bytes.
 * @param toClientsLength length of the event broadcast buffer in bytes.
 * @param counterValuesLength length of the counter values in bytes, 128 per counter.
 * @param errorLogLength length of the distinct error log in bytes.
 * @param filePageLength page length of the driver's files in bytes, except logs on huge pages.
 * @param shares limits on what clients may use; log bytes of 0 allow as many as the file system
 *     has.
 * @param resolver name resolution among drivers; null if the driver does not take part.
 * @param transportOptions options of transports by name, such as {@code rdma.retry-count}.
 * @param spiesConnect default for channels without an {@code ssc} key: whether spies alone connect
 *     a publication.
 * @param deleteOnShutdown whether to delete the directory when the driver closes; otherwise its
 *     counters, errors and losses remain readable.
 * @param terminable whether a client may end the driver.
 * @param latencySamplesPerSecond maximum number of samples per second of each hop of a stream; 0
 *     for none.
 * @param metrics address at which to serve metrics and probes over HTTP; null for none.
 * @param unusedOptions Aeron's options that were given and have no effect here.
 * @param errorHandler called with every error, in addition to the error log, on the driver's thread
 *     for handlers; see {@link DriverConfigBuilder#errorHandler}.
 * @param warningHandler called with every warning, on the same thread.
 * @param failureHandler called once if an error ends the driver; see {@link
 *     DriverConfigBuilder#failureHandler}.
 */
public record DriverConfig(
        Path directory,
        String directoryGroup,
        DirectoryAccess directoryAccess,
        Path auditFile,
        long auditLength,
        long drainTimeoutNs,
        Path logDirectory,
        ThreadingMode threading,
        AgentConfig conductor,
        AgentConfig sender,
        AgentConfig receiver,
        long clientLivenessTimeoutNs,
        long unblockTimeoutNs,
        long imageLivenessTimeoutNs,
        boolean tetherSubscriptions,
        boolean rejoinStream,
        UntetheredTimeouts untethered,
        long lingerNs,
        long lookUpThresholdNs,
        int termLength,
        int mtu,
        int ipcWindow,
        int toDriverLength,
        int toClientsLength,
        int counterValuesLength,
        int errorLogLength,
        int filePageLength,
        ShareLimits shares,
        boolean spiesConnect,
        boolean deleteOnShutdown,
        boolean terminable,
        int latencySamplesPerSecond,
        Endpoint metrics,
        ResolverConfig resolver,
        Map<String, String> transportOptions,
        List<String> unusedOptions,
        ErrorHandler errorHandler,
        ErrorHandler warningHandler,
        ErrorHandler failureHandler) {

    /**
     * Settings of one agent's thread.
     *
     * @param idling idle strategy.
     * @param cpu CPU to bind the thread to, or -1.
     * @param thresholdNs duration above which a cycle counts as too long.
     */
    public record AgentConfig(Idling idling, int cpu, long thresholdNs) {
        /** Checks the CPU and the threshold. */
        public AgentConfig {
            DriverOption.CONDUCTOR_THRESHOLD.check(thresholdNs + "ns");
            if (cpu < CpuAffinity.NONE || cpu >= CpuAffinity.MAX_CPUS) {
                throw new BusException(
                        "CPU "
                                + cpu
                                + " is not from 0 to "
                                + (CpuAffinity.MAX_CPUS - 1)
                                + ": give a CPU's number, or -1 for any");
            }
        }
    }

    /**
     * Checks every value.
     *
     * @throws BusException if a value is invalid.
     */
    public DriverConfig {
        transportOptions = Map.copyOf(transportOptions);
        unusedOptions = List.copyOf(unusedOptions);
        DriverOption.CLIENT_LIVENESS_TIMEOUT.check(clientLivenessTimeoutNs + "ns");
        DriverOption.AUDIT_FILE.check(auditFile.toString());
        DriverOption.AUDIT_LENGTH.check(Long.toString(auditLength));
        DriverOption.DRAIN_TIMEOUT.check(drainTimeoutNs + "ns");
        DriverOption.UNBLOCK_TIMEOUT.check(unblockTimeoutNs + "ns");
        DriverOption.IMAGE_LIVENESS_TIMEOUT.check(imageLivenessTimeoutNs + "ns");
        DriverOption.LINGER.check(lingerNs + "ns");
        DriverOption.LOOK_UP_THRESHOLD.check(lookUpThresholdNs + "ns");
        DriverOption.TERM_LENGTH.check(Integer.toString(termLength));
        DriverOption.MTU.check(Integer.toString(mtu));
        DriverOption.IPC_WINDOW.check(Integer.toString(ipcWindow));
        DriverOption.TO_DRIVER_LENGTH.check(Integer.toString(toDriverLength));
        DriverOption.TO_CLIENTS_LENGTH.check(Integer.toString(toClientsLength));
        DriverOption.COUNTER_VALUES_LENGTH.check(Integer.toString(counterValuesLength));
        DriverOption.ERROR_LOG_LENGTH.check(Integer.toString(errorLogLength));
        DriverOption.FILE_PAGE_SIZE.check(Integer.toString(filePageLength));
        DriverOption.LATENCY_SAMPLES_PER_SECOND.check(Integer.toString(latencySamplesPerSecond));
        DriverOption.CLIENT_SHARE.check(Integer.toString(shares.percent()));
        shares.totals().forEach(DriverOption::checkShare);
        if (unblockTimeoutNs < clientLivenessTimeoutNs) {
            throw new BusException(
                    "unblock-timeout of "
                            + unblockTimeoutNs
                            + " ns is below the client-liveness-timeout of "
                            + clientLivenessTimeoutNs
                            + " ns, so a live client could lose its claim: choose a longer one");
        }
        if (threading == ThreadingMode.INVOKER
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
}
