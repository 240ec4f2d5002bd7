// SPDX-License-Identifier: Apache-2.0

/**
 * Finds causes that may keep RDMA from working, or from being fast, on this host, in {@code /sys},
 * {@code /proc} and through the verbs. {@link io.verbus.rdma.doctor.RdmaExamination} runs the
 * checks in order; each examines one aspect of a {@link io.verbus.rdma.doctor.Host}.
 */
package io.verbus.rdma.doctor;
