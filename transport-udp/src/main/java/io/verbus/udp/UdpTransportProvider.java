// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.transport.Option;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportHost;
import io.verbus.transport.TransportProvider;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;

import java.util.List;

/** Opens the transport over this host's network. */
public final class UdpTransportProvider implements TransportProvider {
    @Override
    public String media() {
        return "udp";
    }

    @Override
    public void prepare() {
        DatagramSocket.link();
    }

    @Override
    public List<Option<?>> options() {
        return UdpOptions.ALL;
    }

    @Override
    public Transport open(TransportHost host) {
        return new UdpTransport(host, UdpOptions.of(host), System.nanoTime());
    }

    @Override
    public boolean needsMemoryFileSystem() {
        return false;
    }
}
