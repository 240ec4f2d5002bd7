// SPDX-License-Identifier: Apache-2.0

/** Starts the processes of a run, and reports what they measured. */
package io.verbus.perf.run;
