// SPDX-License-Identifier: Apache-2.0

/**
 * What would keep RDMA from being fast or from working on this host, found in {@code /sys}, {@code
 * /proc} and what the verbs tell. {@link io.verbus.rdma.doctor.RdmaExamination} asks one check
 * after the other; each looks at one thing of a {@link io.verbus.rdma.doctor.Host}.
 */
package io.verbus.rdma.doctor;
