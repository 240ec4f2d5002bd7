// SPDX-License-Identifier: Apache-2.0

/** Lower bounds that no bus can beat: the machine's own cost for what a bus must do. */
package io.verbus.perf.floor;
