// SPDX-License-Identifier: Apache-2.0

/** Runs Aeron's client in one process with Verbus' driver. */
package io.verbus.perf.attached;
