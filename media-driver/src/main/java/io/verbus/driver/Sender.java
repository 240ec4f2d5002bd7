// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.transport.Transport;

/** Sends: the sender's part of every transport, in turn. */
final class Sender implements NetworkAgent {
    private final Transports transports;
    private final SpiedPublications spied;

    Sender(Transports transports, SpiedPublications spied) {
        this.transports = transports;
        this.spied = spied;
    }

    @Override
    public int work(long nowNs) {
        int work = spied.work();
        for (Transport transport : transports.open()) {
            work += transport.send(nowNs);
        }
        return work;
    }

    @Override
    public String roleName() {
        return "sender";
    }
}
