// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * The rkey of a region of the peer: names remote memory in a work request.
 *
 * @param value as the peer's device gave it.
 */
public record RemoteKey(int value) {}
