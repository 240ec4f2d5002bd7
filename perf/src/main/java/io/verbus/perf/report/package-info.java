// SPDX-License-Identifier: Apache-2.0

/** Measurements as text for people and as JSON. */
package io.verbus.perf.report;
