// SPDX-License-Identifier: Apache-2.0

/**
 * What operators' systems see of a driver: the table of its metrics, their text for Prometheus, and
 * the HTTP server for it. Reads the driver's CnC file and nothing else, on threads of its own.
 */
package io.verbus.driver.metrics;
