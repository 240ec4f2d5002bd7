// SPDX-License-Identifier: Apache-2.0

/**
 * Measures round trips, whatever carries them. Runs on the class path of the bus measured, so it
 * uses the JDK, HdrHistogram, and of Agrona only its clock and idle strategies.
 */
package io.verbus.perf.load;
