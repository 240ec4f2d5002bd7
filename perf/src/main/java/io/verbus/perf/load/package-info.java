// SPDX-License-Identifier: Apache-2.0

/**
 * Measures round trips, streams and recordings independently of their transport. Runs on the class
 * path of every contender, so it uses only the JDK, HdrHistogram and Agrona.
 */
package io.verbus.perf.load;
