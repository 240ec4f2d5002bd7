// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.common.RdmaOptions;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The networks whose hosts may connect, from the option {@link RdmaOptions#ALLOW}: IPv4 and IPv6
 * addresses, each with the bits of its network behind a slash or alone, separated by commas.
 */
public final class AllowList {
    private final List<Network> networks;

    private AllowList(List<Network> networks) {
        this.networks = networks;
    }

    /**
     * Reads the option; every host may connect unless it is set.
     *
     * @param settings of the driver.
     * @return the list.
     * @throws TransportException that names the part that is no network.
     */
    public static AllowList of(TransportSettings settings) {
        String text = RdmaOptions.ALLOW.read(settings);
        List<Network> networks = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            networks.add(network(part.strip(), text));
        }
        return new AllowList(List.copyOf(networks));
    }

    /** Whether a peer may connect. One whose address is not known may not. */
    boolean allows(InetSocketAddress peer) {
        if (peer == null || peer.getAddress() == null) {
            return false;
        }
        byte[] address = peer.getAddress().getAddress();
        for (Network network : networks) {
            if (network.contains(address)) {
                return true;
            }
        }
        return false;
    }

    /**
     * A range of addresses.
     *
     * @param base its first address, 4 or 16 bytes.
     * @param bits that all addresses have in common with it.
     */
    private record Network(byte[] base, int bits) {
        boolean contains(byte[] address) {
            return address.length == base.length && isZero(difference(address), 0, bits);
        }

        /** Whether the base is the first address of the network. */
        boolean isExact() {
            return isZero(base, bits, base.length * Byte.SIZE);
        }

        private byte[] difference(byte[] address) {
            byte[] difference = new byte[base.length];
            for (int i = 0; i < base.length; i++) {
                difference[i] = (byte) (base[i] ^ address[i]);
            }
            return difference;
        }

        /** Whether the bits from {@code begin} up to {@code end} are all 0. */
        private static boolean isZero(byte[] bytes, int begin, int end) {
            for (int bit = begin; bit < end; bit++) {
                if ((bytes[bit / Byte.SIZE] >> (Byte.SIZE - 1 - bit % Byte.SIZE) & 1) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    private static Network network(String part, String whole) {
        int slash = part.indexOf('/');
        byte[] base = address(slash < 0 ? part : part.substring(0, slash), part, whole);
        int most = base.length * Byte.SIZE;
        int bits = slash < 0 ? most : bits(part.substring(slash + 1));
        if (bits < 0 || bits > most) {
            throw wrong(part, whole, "the bits behind its slash must be 0 to " + most, null);
        }
        Network network = new Network(base, bits);
        if (!network.isExact()) {
            throw wrong(part, whole, "its address has bits set behind the first " + bits, null);
        }
        return network;
    }

    private static int bits(String text) {
        return text.matches("\\d{1,3}") ? Integer.parseInt(text) : -1;
    }

    /** Takes addresses only: a name would have to be resolved, and could become another. */
    private static byte[] address(String text, String part, String whole) {
        String right = "write it as 10.1.0.0/16, 10.1.2.3 or fd00:1::/32";
        try {
            InetAddress address = InetAddress.ofLiteral(text);
            boolean inFull =
                    address instanceof Inet4Address
                            ? text.matches("\\d+\\.\\d+\\.\\d+\\.\\d+")
                            : text.indexOf('%') < 0;
            if (inFull) {
                return address.getAddress();
            }
        } catch (IllegalArgumentException noAddress) {
            throw wrong(part, whole, right, noAddress);
        }
        throw wrong(part, whole, right, null);
    }

    private static TransportException wrong(
            String part, String whole, String right, Throwable cause) {
        return new TransportException(
                "option %s is '%s', where '%s' is no network: %s"
                        .formatted(RdmaOptions.ALLOW.name(), whole, part, right),
                cause);
    }
}
