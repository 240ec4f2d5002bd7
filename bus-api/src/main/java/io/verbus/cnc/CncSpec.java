// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * The parameters of a CnC file that are fixed when its driver creates it.
 *
 * @param driverId random non-zero number, new at each start of a driver; 0 for a driver other than
 *     Verbus.
 * @param startMs start time of the driver in milliseconds since the epoch.
 * @param pid id of the driver's process.
 * @param clientLivenessTimeoutNs time in nanoseconds after which a silent client is dropped.
 * @param toDriverLength length of the command ring buffer in bytes, a power of two.
 * @param toClientsLength length of the event broadcast buffer in bytes, a power of two.
 * @param counterValuesLength length of the counters' values in bytes.
 * @param errorLogLength length of the distinct error log in bytes.
 * @param letsGo whether the driver detaches slow subscribers whose channels do not set {@code
 *     tether}; false for a driver other than Verbus.
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
