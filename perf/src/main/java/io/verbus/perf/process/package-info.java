// SPDX-License-Identifier: Apache-2.0

/** Child processes: how the demo and the measurements start, command and end them. */
package io.verbus.perf.process;
