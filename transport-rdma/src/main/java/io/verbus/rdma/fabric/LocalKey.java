// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * The lkey of a registered region, which identifies local memory in a work request.
 *
 * <p>A separate type, because software devices use the same number for both keys, so that confusing
 * them would go unnoticed until the code runs on hardware.
 *
 * @param value value assigned by the device.
 */
public record LocalKey(int value) {}
