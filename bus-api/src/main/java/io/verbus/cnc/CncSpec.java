// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * What is fixed about a CnC file when its driver creates it.
 *
 * @param driverId random and not 0, new at each start of a driver; 0 where the driver is not of
 *     Verbus.
 * @param startMs when the driver started, since the epoch.
 * @param pid of the driver's process.
 * @param clientLivenessTimeoutNs after which a silent client is given up.
 * @param toDriverLength bytes of the command ring buffer, a power of two.
 * @param toClientsLength bytes of the event broadcast buffer, a power of two.
 * @param counterValuesLength bytes of the counters' values.
 * @param errorLogLength bytes of the distinct error log.
 * @param letsGo whether the driver lets subscribers go that are too slow, where their channels do
 *     not say; false where the driver is not of Verbus.
 */
public record CncSpec(
        long driverId,
        long startMs,
        long pid,
        long clientLivenessTimeoutNs,
        int toDriverLength,
        int toClientsLength,
        int counterValuesLength,
        int errorLogLength,
        boolean letsGo) {}
