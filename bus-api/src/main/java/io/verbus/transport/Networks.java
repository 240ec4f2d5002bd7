// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A list of IPv4 and IPv6 networks, separated by commas: addresses, each optionally with a slash
 * and the length of its network prefix. Immutable.
 */
public final class Networks {
    /** The empty list. */
    public static final Networks NONE = new Networks(List.of());

    private final List<Network> all;

    private Networks(List<Network> all) {
        this.all = all;
    }

    /**
     * Parses an option's value.
     *
     * @param option name of the option, for messages.
     * @param text value such as {@code 10.1.0.0/16,fd00:1::/32}.
     * @return the networks.
     * @throws TransportException if a part is not a network; the message names the part.
     */
    public static Networks of(String option, String text) {
        List<Network> networks = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            networks.add(new Reading(option, text, part.strip()).network());
        }
        return new Networks(List.copyOf(networks));
    }

    /**
     * Returns the subnet of an address.
     *
     * @param address address in the subnet.
     * @param bits length of the prefix that all addresses of the subnet share.
     */
    public static Networks subnet(InetAddress address, int bits) {
        byte[] base = address.getAddress();
        for (int bit = bits; bit < base.length * Byte.SIZE; bit++) {
            base[bit / Byte.SIZE] &= (byte) ~(0x80 >> bit % Byte.SIZE);
        }
        return new Networks(List.of(new Network(base, bits)));
    }

    /** Returns the union of both lists. */
    public Networks and(Networks others) {
        List<Network> both = new ArrayList<>(all);
        both.addAll(others.all);
        return new Networks(List.copyOf(both));
    }

    /** Returns whether one of the networks contains an address. */
    public boolean contains(InetAddress address) {
        return contains(address.getAddress());
    }

    /**
     * Returns whether one of the networks contains an address of 4 or 16 bytes. Does not allocate.
     */
    public boolean contains(byte[] address) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).contains(address)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the text as in an option. */
    @Override
    public String toString() {
        return all.stream().map(Network::toString).collect(Collectors.joining(","));
    }

    /** Returns whether the list is empty. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /**
     * A range of addresses.
     *
     * @param base first address, 4 or 16 bytes.
     * @param bits length of the prefix that all addresses share with the base.
     */
    private record Network(byte[] base, int bits) {
        boolean contains(byte[] address) {
            if (address.length != base.length) {
                return false;
            }
            int whole = bits / Byte.SIZE;
            for (int i = 0; i < whole; i++) {
                if (address[i] != base[i]) {
                    return false;
                }
            }
            int rest = bits % Byte.SIZE;
            return rest == 0 || (address[whole] ^ base[whole]) >> Byte.SIZE - rest == 0;
        }

        /** Returns whether the base is the first address of the network. */
        boolean isExact() {
            for (int bit = bits; bit < base.length * Byte.SIZE; bit++) {
                if ((base[bit / Byte.SIZE] & 0x80 >> bit % Byte.SIZE) != 0) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public String toString() {
            try {
                return InetAddress.getByAddress(base).getHostAddress() + "/" + bits;
            } catch (UnknownHostException impossible) {
                throw new AssertionError(
                        "cannot happen: the length of an address is valid", impossible);
            }
        }
    }

    /** Parses one part of an option's value. */
    private record Reading(String option, String whole, String part) {
        Network network() {
            int slash = part.indexOf('/');
            byte[] base = address(slash < 0 ? part : part.substring(0, slash));
            int most = base.length * Byte.SIZE;
            int bits = slash < 0 ? most : bits(part.substring(slash + 1));
            if (bits < 0 || bits > most) {
                throw wrong("its prefix length must be between 0 and " + most, null);
            }
            Network network = new Network(base, bits);
            if (!network.isExact()) {
                throw wrong("its address has bits set beyond the prefix length " + bits, null);
            }
            return network;
        }

        private static int bits(String text) {
            return text.matches("\\d{1,3}") ? Integer.parseInt(text) : -1;
        }

        /** Accepts only addresses: a name would have to be resolved, and its address may change. */
        private byte[] address(String text) {
            String right = "write it like 10.1.0.0/16, 10.1.2.3 or fd00:1::/32";
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
                throw wrong(right, noAddress);
            }
            throw wrong(right, null);
        }

        private TransportException wrong(String right, Throwable cause) {
            return new TransportException(
                    "option %s is '%s', where '%s' is not a network: %s"
                            .formatted(option, whole, part, right),
                    cause);
        }
    }
}
