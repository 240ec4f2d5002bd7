// SPDX-License-Identifier: Apache-2.0

/** What no bus can beat: the machine's own cost of what a bus has to do. */
package io.verbus.perf.floor;
