// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.transport.DatagramPort;
import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportHost;
import io.verbus.transport.TransportProvider;
import io.verbus.transport.TransportSettings;
import io.verbus.udp.common.AllowedSources;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.SelectedPort;
import io.verbus.udp.wire.Frames;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** Provides the UDP transport. */
public final class UdpTransportProvider implements TransportProvider {
    @Override
    public String media() {
        return "udp";
    }

    @Override
    public String protocol() {
        return Frames.VERSION + " (Aeron's)";
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
    public void check(TransportSettings settings) {
        UdpOptions.of(settings);
    }

    @Override
    public DatagramPort openPort(InetSocketAddress local) throws IOException {
        return SelectedPort.open(local);
    }

    @Override
    public Networks sources(TransportSettings settings) {
        return AllowedSources.networks(settings);
    }

    @Override
    public List<String> notes(TransportSettings settings) {
        Networks allowed = AllowedSources.networks(settings);
        return allowed == null ? List.of() : List.of("admits datagrams from " + allowed);
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
