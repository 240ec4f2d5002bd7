// SPDX-License-Identifier: Apache-2.0

/** Lower bounds that no bus can beat: the machine's own cost of the work that a bus must do. */
package io.verbus.perf.floor;
