// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.driver.background.Names;
import io.verbus.transport.Networks;
import io.verbus.transport.TransportException;

import java.net.InetAddress;

/**
 * Decides which channels of Aeron's UDP are carried by RDMA: those that lead to an address of its
 * networks. A unicast endpoint decides; where there is none, the control address or the interface.
 * Conductor's thread.
 */
public final class Carriers {
    private static final String UDP = "udp";

    /** Media of the transport that may carry channels of another. */
    public static final String RDMA = "rdma";

    private final Networks networks;
    private final Names names;

    /**
     * @param networks of RDMA.
     * @param names that channels have, looked up before a channel is asked for.
     */
    public Carriers(Networks networks, Names names) {
        this.networks = networks;
        this.names = names;
    }

    /**
     * A channel as its transport is to have it. Its names were looked up.
     *
     * @throws io.verbus.channel.UnsupportedChannelException if it is RDMA's to carry, which cannot.
     */
    public ChannelUri carried(ChannelUri channel) {
        return isOverRdma(channel) ? channel.overRdma() : channel;
    }

    /** Media of the transport that carries a channel. Its names were looked up. */
    public String media(ChannelUri channel) {
        return isOverRdma(channel) ? RDMA : channel.media();
    }

    /**
     * Makes sure that what carries a destination can be told now, and for good. Its name was looked
     * up.
     *
     * @throws TransportException if that depends on where its name leads, which is unknown.
     */
    public void requireDecidable(ChannelUri destination) {
        String host = destination.endpoint().host();
        if (mayBeOverRdma(destination) && names.address(host, 0).isUnresolved()) {
            throw new TransportException(
                    "host name '"
                            + host
                            + "' cannot be resolved, and decides whether RDMA carries destination '"
                            + destination
                            + "': name an IP address, or add it to /etc/hosts");
        }
    }

    /**
     * Whether the destinations of a channel alone decide, so that nothing carries it until it has
     * the first.
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

    /** A subnet is what was found in it; its own address, where this host has none there. */
    private boolean isListed(String host) {
        InetAddress address = names.address(host, 0).getAddress();
        int slash = host.indexOf('/');
        if (address == null && slash > 0) {
            address = names.address(host.substring(0, slash), 0).getAddress();
        }
        return address != null && !address.isMulticastAddress() && networks.contains(address);
    }
}
