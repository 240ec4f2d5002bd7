// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.ServiceLoader;

/**
 * Loses datagrams that have come in, as a network may. It is found by {@link ServiceLoader}; only
 * tests have one. Each {@link ReceiveBatch} has its own, which is called on the thread that
 * receives.
 */
public interface DatagramLoss {
    /**
     * Decides about one datagram. Datagrams that the kernel has joined count as one.
     *
     * @param datagram that has come in, valid during the call.
     * @param length of it in bytes.
     * @return whether it is lost: nobody sees it.
     */
    boolean isLost(UnsafeBuffer datagram, int length);
}
