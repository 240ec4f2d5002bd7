// SPDX-License-Identifier: Apache-2.0

/** Formats measurements as text, HTML and JSON. */
package io.verbus.perf.report;
