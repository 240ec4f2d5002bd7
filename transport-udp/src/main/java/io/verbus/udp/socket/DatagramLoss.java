// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.ServiceLoader;

/**
 * Drops received datagrams, as a network may. Loaded by {@link ServiceLoader}; only tests provide
 * one. Each {@link ReceiveBatch} has its own instance, which is called on the receiving thread.
 */
public interface DatagramLoss {
    /**
     * Decides whether to drop a datagram. Datagrams joined by the kernel count as one.
     *
     * @param datagram received datagram, valid during the call.
     * @param length length in bytes.
     * @return true to drop the datagram.
     */
    boolean isLost(UnsafeBuffer datagram, int length);
}
