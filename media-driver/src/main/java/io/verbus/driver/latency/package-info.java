// SPDX-License-Identifier: Apache-2.0

/** Figures and plots of the sampled hop durations in a driver's latency file. */
package io.verbus.driver.latency;
