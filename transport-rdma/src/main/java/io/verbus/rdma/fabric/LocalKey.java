// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * The lkey of a registered region: names local memory in a work request.
 *
 * <p>A type of its own, because software devices give a region one number for both keys, so that a
 * mix-up would go unnoticed until it meets hardware.
 *
 * @param value as the device gave it.
 */
public record LocalKey(int value) {}
