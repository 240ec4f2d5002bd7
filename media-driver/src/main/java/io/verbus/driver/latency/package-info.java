// SPDX-License-Identifier: Apache-2.0

/** Sampled durations of hops, read from a driver's latency file: their figures and plots. */
package io.verbus.driver.latency;
