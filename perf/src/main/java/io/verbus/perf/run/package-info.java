// SPDX-License-Identifier: Apache-2.0

/** Starts the processes of a run, and collects their measurements. */
package io.verbus.perf.run;
