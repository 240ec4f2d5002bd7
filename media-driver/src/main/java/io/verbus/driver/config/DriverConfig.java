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
 * Settings of a media driver, checked. Where they may come from is {@link DriverConfigSources}.
 *
 * @param directory that clients find the driver at; made by it.
 * @param directoryGroup name or number of the group whose members may be clients, besides the
 *     driver's own user; null for none.
 * @param directoryAccess what members of the group may do.
 * @param auditFile that tells who was admitted or refused; relative to the directory.
 * @param auditLength bytes after which the next audit file begins.
 * @param drainTimeoutNs that SIGTERM gives streams to arrive and to be read; 0 for none.
 * @param logDirectory a directory of a hugetlbfs mount, where logs are to lie on huge pages; null
 *     for the driver directory.
 * @param threading which agents share a thread.
 * @param conductor idling and CPU of the conductor's thread.
 * @param sender idling and CPU of the sender's thread.
 * @param receiver idling and CPU of the receiver's thread.
 * @param clientLivenessTimeoutNs after which a silent client is given up.
 * @param unblockTimeoutNs after which a claim that nobody commits is filled with padding.
 * @param imageLivenessTimeoutNs for which a stream is not received again whose image was rejected.
 * @param tetherSubscriptions whether subscribers hold their streams back, where the channel does
 *     not say.
 * @param rejoinStream whether streams are joined and received again, where the channel does not
 *     say.
 * @param untethered for how long subscribers are waited for that do not hold their stream back,
 *     where the channel does not say.
 * @param lingerNs for which a log's file stays after its last user has gone.
 * @param lookUpThresholdNs that the look-up of a name may take until it is counted as slow.
 * @param termLength of publications whose channel names none, bytes.
 * @param mtu of publications whose channel names none, bytes.
 * @param ipcWindow how far an IPC publication may be ahead of its slowest subscriber, bytes; 0 for
 *     half a term.
 * @param toDriverLength bytes of the command ring buffer.
 * @param toClientsLength bytes of the event broadcast buffer.
 * @param counterValuesLength bytes of the counters' values, 128 each.
 * @param errorLogLength bytes of the distinct error log.
 * @param filePageLength bytes of a page of the driver's files, where logs do not lie on huge pages.
 * @param shares what clients may make the driver hold; where the bytes of logs are 0, as many as
 *     their file system has.
 * @param resolver name resolution among drivers; null where the driver takes no part.
 * @param transportOptions options of transports by name, such as {@code rdma.retry-count}.
 * @param spiesConnect whether a publication that only spies read is connected, where its channel
 *     does not say.
 * @param deleteOnShutdown whether the directory is deleted when the driver closes; otherwise its
 *     counters, errors and losses can still be read.
 * @param terminable whether a client may end the driver.
 * @param metrics where metrics and probes are served by HTTP; null for nowhere.
 * @param unusedOptions names of Aeron's options that were given and mean nothing here.
 * @param errorHandler told every error besides the error log, on the driver's thread for handlers;
 *     see {@link DriverConfigBuilder#errorHandler}.
 * @param warningHandler told what works, but not as it should, on the same thread.
 * @param failureHandler told once that the driver has ended because of an error; see {@link
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
     * @param idling when there is no work.
     * @param cpu that it is bound to, or -1.
     * @param thresholdNs that a cycle may take until it is counted as too long.
     */
    public record AgentConfig(Idling idling, int cpu, long thresholdNs) {
        /** Checks CPU and threshold. */
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
     * @throws BusException that names the wrong one.
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
        DriverOption.CLIENT_SHARE.check(Integer.toString(shares.percent()));
        shares.totals().forEach(DriverOption::checkShare);
        if (unblockTimeoutNs < clientLivenessTimeoutNs) {
            throw new BusException(
                    "unblock-timeout of "
                            + unblockTimeoutNs
                            + " ns is below the client-liveness-timeout of "
                            + clientLivenessTimeoutNs
                            + " ns: a live client's claim could be taken from it, choose a longer"
                            + " one");
        }
        if (threading == ThreadingMode.INVOKER
                && (conductor.cpu >= 0 || sender.cpu >= 0 || receiver.cpu >= 0)) {
            throw new BusException(
                    "an agent's cpu is set, but threading invoker has no threads to bind: bind the"
                            + " thread that invokes instead, and remove the setting");
        }
    }

    /** The defaults, for {@code /dev/shm/aeron-USER}. */
    public static DriverConfig defaults() {
        return builder().build();
    }

    /** Begins with the defaults. */
    public static DriverConfigBuilder builder() {
        return new DriverConfigBuilder();
    }
}
