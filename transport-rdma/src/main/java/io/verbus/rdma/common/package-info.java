// SPDX-License-Identifier: Apache-2.0

/** What both ends of a connection share: options, first words, control messages, probes. */
package io.verbus.rdma.common;
