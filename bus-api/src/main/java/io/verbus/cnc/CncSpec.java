// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * What is fixed about a CnC file when its driver creates it.
 *
 * @param driverId random, new at each start of a driver.
 * @param pid of the driver's process.
 * @param clientLivenessTimeoutNs after which a silent client is given up.
 * @param toDriverLength bytes of the command ring buffer, a power of two.
 * @param toClientsLength bytes of the event broadcast buffer, a power of two.
 * @param counterValuesLength bytes of the counters' values.
 * @param errorLogLength bytes of the distinct error log.
 */
public record CncSpec(
        long driverId,
        long pid,
        long clientLivenessTimeoutNs,
        int toDriverLength,
        int toClientsLength,
        int counterValuesLength,
        int errorLogLength) {}
