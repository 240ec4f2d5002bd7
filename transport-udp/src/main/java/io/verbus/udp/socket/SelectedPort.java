// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import io.verbus.transport.DatagramPort;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Socket with a selector, for a few datagrams per second; not used for streams. */
public final class SelectedPort implements DatagramPort {
    private final DatagramChannel channel;
    private final Selector selector;
    private final InetSocketAddress localAddress;

    private SelectedPort(DatagramChannel channel, Selector selector) throws IOException {
        this.channel = channel;
        this.selector = selector;
        localAddress = (InetSocketAddress) channel.getLocalAddress();
    }

    /**
     * Opens a socket.
     *
     * @param local address to bind to; port 0 lets the kernel choose.
     * @throws IOException if the socket cannot be opened.
     */
    public static SelectedPort open(InetSocketAddress local) throws IOException {
        boolean isIpv6 = local.getAddress() instanceof Inet6Address;
        DatagramChannel channel =
                DatagramChannel.open(
                        isIpv6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
        try {
            channel.bind(local);
            channel.configureBlocking(false);
            Selector selector = Selector.open();
            channel.register(selector, SelectionKey.OP_READ);
            return new SelectedPort(channel, selector);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public void await(long millis) throws IOException {
        selector.select(millis);
        selector.selectedKeys().clear();
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    @Override
    public InetSocketAddress receive(ByteBuffer buffer) throws IOException {
        return (InetSocketAddress) channel.receive(buffer);
    }

    @Override
    public int send(ByteBuffer buffer, InetSocketAddress to) throws IOException {
        return channel.send(buffer, to);
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
