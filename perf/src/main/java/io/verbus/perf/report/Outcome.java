// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Measurement;

/**
 * Outcome of a round-trip run.
 *
 * @param version name and version of the bus or peer.
 * @param measurement its measurement.
 */
public record Outcome(String version, Measurement measurement) {}
