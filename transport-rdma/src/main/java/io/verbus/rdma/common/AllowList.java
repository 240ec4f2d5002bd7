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
 * The hosts that may connect, from the option {@link RdmaOptions#ALLOW}: those of the networks that
 * it names, and where it says so those of the subnet of the address at which they arrive. An
 * address that is alone in its subnet, as with a prefix of 32 bits, has no other hosts.
 */
public final class AllowList {
    /** Stands in the option for the subnet of this end of a connection. */
    static final String SUBNET = "subnet";

    private final Networks named;
    private final boolean hasSubnet;

    private AllowList(Networks named, boolean hasSubnet) {
        this.named = named;
        this.hasSubnet = hasSubnet;
    }

    /**
     * Reads the option. Where it is not set, the networks whose addresses RDMA carries are named.
     *
     * @param settings of the driver.
     * @return the list.
     * @throws TransportException that names the part that is no network.
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

    /** Whether a peer may connect to an address. One whose address is not known may not. */
    boolean allows(InetSocketAddress peer, InetSocketAddress local, Fabric fabric) {
        return peer != null
                && peer.getAddress() != null
                && (named.contains(peer.getAddress())
                        || subnet(local, fabric).contains(peer.getAddress()));
    }

    /** Whether nobody may connect to an address, whoever it is. */
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
     * What is allowed, for people.
     *
     * @param subnets of this host's RDMA interfaces.
     */
    public String description(Networks subnets) {
        Networks all = hasSubnet ? named.and(subnets) : named;
        return all.isEmpty() ? "nobody: name the peers in rdma.allow" : all.toString();
    }

    /** What a refused host is told apart by: why it is not in the list, with the remedy. */
    String refusal(String host, InetSocketAddress local) {
        String at = local == null ? "" : " to " + Admittance.hostOf(local);
        return "a connection from "
                + host
                + at
                + " was refused"
                + (hasSubnet ? " because it comes from outside of the subnet" : "")
                + ": if the host may connect, add it to verbus.rdma.allow";
    }
}
