// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.DerivedChannels;
import io.verbus.channel.Endpoint;
import io.verbus.driver.background.Names;
import io.verbus.transport.Networks;
import io.verbus.transport.TransportException;

import java.net.InetAddress;

/**
 * Decides which Aeron UDP channels run over RDMA: those with an address in the RDMA networks. A
 * channel's unicast endpoint decides; if it has none, its control address or interface does. Used
 * by the conductor's thread.
 */
public final class Carriers {
    private static final String UDP = "udp";

    /** Media of the transport that may carry channels that name a different media. */
    public static final String RDMA = "rdma";

    private final Networks networks;
    private final Names names;

    /**
     * @param networks networks in which to use RDMA.
     * @param names names in channels, which must be resolved before a channel is queried.
     */
    public Carriers(Networks networks, Names names) {
        this.networks = networks;
        this.names = names;
    }

    /**
     * Returns a channel in the form that its transport uses. Its names must be resolved.
     *
     * @throws io.verbus.channel.UnsupportedChannelException if RDMA should carry the channel, but
     *     cannot.
     */
    public ChannelUri carried(ChannelUri channel) {
        return isOverRdma(channel) ? DerivedChannels.overRdma(channel) : channel;
    }

    /** Returns the media of the transport that carries a channel. Its names must be resolved. */
    public String media(ChannelUri channel) {
        return isOverRdma(channel) ? RDMA : channel.media();
    }

    /**
     * Requires that a destination's carrier can be decided permanently now. Its name must be
     * resolved.
     *
     * @throws TransportException if the carrier depends on a name that cannot be resolved.
     */
    public void requireDecidable(ChannelUri destination) {
        String host = destination.endpoint().host();
        if (mayBeOverRdma(destination) && names.address(host, 0).isUnresolved()) {
            throw new TransportException(
                    "host name '"
                            + host
                            + "' cannot be resolved, so the driver cannot tell whether RDMA carries"
                            + " destination '"
                            + destination
                            + "': use an IP address, or add the name to /etc/hosts");
        }
    }

    /**
     * Returns whether only the channel's destinations determine the carrier: it has none until the
     * first destination is added.
     */
    public boolean isUndecided(ChannelUri channel) {
        return mayBeOverRdma(channel)
                && channel.isManual()
                && channel.control() == null
                && channel.interfaceAddress() == null;
    }

    private boolean mayBeOverRdma(ChannelUri channel) {
        return !networks.isEmpty() && channel.isAeron() && channel.media().equals(UDP);
    }

    private boolean isOverRdma(ChannelUri channel) {
        if (!mayBeOverRdma(channel)) {
            return false;
        }
        if (channel.hasEndpoint()) {
            return isListed(channel.endpoint().host());
        }
        Endpoint control = channel.control();
        return control != null && isListed(control.host())
                || channel.interfaceAddress() != null && isListed(channel.interfaceAddress());
    }

    /**
     * Returns whether a host is in the networks. A subnet represents the local address in it, or
     * its own address if there is none.
     */
    private boolean isListed(String host) {
        InetAddress address = names.address(host, 0).getAddress();
        int slash = host.indexOf('/');
        if (address == null && slash > 0) {
            address = names.address(host.substring(0, slash), 0).getAddress();
        }
        return address != null && !address.isMulticastAddress() && networks.contains(address);
    }
}
