// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.transport.Transport;

/** Receives: the receiver's part of every transport, in turn. */
final class Receiver implements NetworkAgent {
    private final Transports transports;

    Receiver(Transports transports) {
        this.transports = transports;
    }

    @Override
    public int work(long nowNs) {
        int work = 0;
        for (Transport transport : transports.open()) {
            work += transport.receive(nowNs);
        }
        return work;
    }

    @Override
    public String roleName() {
        return "receiver";
    }
}
