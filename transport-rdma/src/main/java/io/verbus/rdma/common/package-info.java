// SPDX-License-Identifier: Apache-2.0

/** Code shared by both ends of a connection: options, hellos, control messages, probes. */
package io.verbus.rdma.common;
