// SPDX-License-Identifier: Apache-2.0

/** Command and control: the file through which clients and their driver talk, and its counters. */
package io.verbus.cnc;
