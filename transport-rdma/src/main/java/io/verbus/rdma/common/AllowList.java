// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.rdma.fabric.Fabric;
import io.verbus.transport.Networks;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The hosts that may connect, according to the option {@link RdmaOptions#ALLOW}: those of the
 * networks that it names and, if it includes the subnet, those of the receiving address's subnet.
 * The subnet of an address with a full-length prefix, such as /32, contains no other host.
 */
public final class AllowList {
    /** Keyword in the option for the subnet of a connection's local end. */
    static final String SUBNET = "subnet";

    private final Networks named;
    private final boolean hasSubnet;

    private AllowList(Networks named, boolean hasSubnet) {
        this.named = named;
        this.hasSubnet = hasSubnet;
    }

    /**
     * Reads the option. By default it permits the subnet and the networks of {@link
     * RdmaOptions#NETWORKS}.
     *
     * @param settings settings of the driver.
     * @return the list.
     * @throws TransportException if a part is not a network; the message names the part.
     */
    public static AllowList of(TransportSettings settings) {
        String text = RdmaOptions.ALLOW.read(settings);
        if (text.equals(RdmaOptions.ALLOW.preset())) {
            return new AllowList(RdmaOptions.networks(settings), true);
        }
        String networks =
                Arrays.stream(text.split(",", -1))
                        .filter(part -> !part.strip().equals(SUBNET))
                        .collect(Collectors.joining(","));
        boolean hasSubnet = networks.length() < text.length();
        return new AllowList(
                hasSubnet && networks.isEmpty()
                        ? Networks.NONE
                        : Networks.of(RdmaOptions.ALLOW.name(), networks),
                hasSubnet);
    }

    /** Returns whether a peer may connect to an address. A peer with an unknown address may not. */
    boolean allows(InetSocketAddress peer, InetSocketAddress local, Fabric fabric) {
        return peer != null
                && peer.getAddress() != null
                && (named.contains(peer.getAddress())
                        || subnet(local, fabric).contains(peer.getAddress()));
    }

    /** Returns whether no peer may connect to an address. */
    boolean isNobodyAllowed(InetSocketAddress local, Fabric fabric) {
        return named.isEmpty() && subnet(local, fabric).isEmpty();
    }

    private Networks subnet(InetSocketAddress local, Fabric fabric) {
        return hasSubnet && local != null && local.getAddress() != null
                ? subnet(local.getAddress(), fabric.prefixLength(local.getAddress()))
                : Networks.NONE;
    }

    private static Networks subnet(InetAddress address, int prefixLength) {
        int isAlone = address.getAddress().length * Byte.SIZE;
        return prefixLength <= 0 || prefixLength >= isAlone
                ? Networks.NONE
                : Networks.subnet(address, prefixLength);
    }

    /**
     * Describes the allowed hosts.
     *
     * @param subnets subnets of this host's RDMA interfaces.
     */
    public String description(Networks subnets) {
        Networks all = hasSubnet ? named.and(subnets) : named;
        return all.isEmpty() ? "no peers: list them in rdma.allow" : all.toString();
    }

    /** Returns the error message for a refused host, with the reason and the remedy. */
    String refusal(String host, InetSocketAddress local) {
        String at = local == null ? "" : " to " + HostAdmission.hostOf(local);
        return "a connection from "
                + host
                + at
                + " was refused"
                + (hasSubnet ? " because it comes from outside the subnet" : "")
                + ": if the host may connect, add it to verbus.rdma.allow";
    }
}
