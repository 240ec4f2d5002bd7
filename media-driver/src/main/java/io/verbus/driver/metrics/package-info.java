// SPDX-License-Identifier: Apache-2.0

/**
 * Metrics of a driver for monitoring systems: the table of metrics, their Prometheus format, and an
 * HTTP server. Reads only the driver's CnC and latency files, on its own threads.
 */
package io.verbus.driver.metrics;
