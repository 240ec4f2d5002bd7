// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Measurement;

/**
 * What round trips have shown.
 *
 * @param version name and version of what carried them.
 * @param measurement of them.
 */
public record Outcome(String version, Measurement measurement) {}
