// SPDX-License-Identifier: Apache-2.0

/**
 * The command-and-control file, through which clients and their driver communicate, and its
 * counters.
 */
package io.verbus.cnc;
