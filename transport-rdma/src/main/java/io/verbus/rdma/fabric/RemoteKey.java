// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * The rkey of the peer's region, which identifies remote memory in a work request.
 *
 * @param value value assigned by the peer's device.
 */
public record RemoteKey(int value) {}
