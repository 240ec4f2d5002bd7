// SPDX-License-Identifier: Apache-2.0

/**
 * Random lives of drivers, on simulated networks and on the strict device. Classes whose name ends
 * with {@code LabTest} run on the device, with faults of its plan.
 */
package io.verbus.rdma.lives;
