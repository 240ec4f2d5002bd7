// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * IPv4 and IPv6 networks: addresses, each with the bits of its network behind a slash or alone,
 * separated by commas. Immutable.
 */
public final class Networks {
    /** No network at all. */
    public static final Networks NONE = new Networks(List.of());

    private final List<Network> all;

    private Networks(List<Network> all) {
        this.all = all;
    }

    /**
     * Reads an option.
     *
     * @param option whose value it is, for messages.
     * @param text such as {@code 10.1.0.0/16,fd00:1::/32}.
     * @return the networks.
     * @throws TransportException that names the part that is no network.
     */
    public static Networks of(String option, String text) {
        List<Network> networks = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            networks.add(new Reading(option, text, part.strip()).network());
        }
        return new Networks(List.copyOf(networks));
    }

    /**
     * The subnet of an address.
     *
     * @param address in it.
     * @param bits that all addresses of the subnet have in common.
     */
    public static Networks subnet(InetAddress address, int bits) {
        byte[] base = address.getAddress();
        for (int bit = bits; bit < base.length * Byte.SIZE; bit++) {
            base[bit / Byte.SIZE] &= (byte) ~(0x80 >> bit % Byte.SIZE);
        }
        return new Networks(List.of(new Network(base, bits)));
    }

    /** The networks of both. */
    public Networks and(Networks others) {
        List<Network> both = new ArrayList<>(all);
        both.addAll(others.all);
        return new Networks(List.copyOf(both));
    }

    /** Whether one of the networks holds an address. */
    public boolean contains(InetAddress address) {
        return contains(address.getAddress());
    }

    /** Whether one of the networks holds an address of 4 or 16 bytes. Allocates nothing. */
    public boolean contains(byte[] address) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).contains(address)) {
                return true;
            }
        }
        return false;
    }

    /** As an option has them. */
    @Override
    public String toString() {
        return all.stream().map(Network::toString).collect(Collectors.joining(","));
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /**
     * A range of addresses.
     *
     * @param base its first address, 4 or 16 bytes.
     * @param bits that all addresses have in common with it.
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

        /** Whether the base is the first address of the network. */
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
                throw new AssertionError("the length of an address is fixed", impossible);
            }
        }
    }

    /** One part of an option's text on its way to a network. */
    private record Reading(String option, String whole, String part) {
        Network network() {
            int slash = part.indexOf('/');
            byte[] base = address(slash < 0 ? part : part.substring(0, slash));
            int most = base.length * Byte.SIZE;
            int bits = slash < 0 ? most : bits(part.substring(slash + 1));
            if (bits < 0 || bits > most) {
                throw wrong("the bits behind its slash must be 0 to " + most, null);
            }
            Network network = new Network(base, bits);
            if (!network.isExact()) {
                throw wrong("its address has bits set behind the first " + bits, null);
            }
            return network;
        }

        private static int bits(String text) {
            return text.matches("\\d{1,3}") ? Integer.parseInt(text) : -1;
        }

        /** Takes addresses only: a name would have to be resolved, and could become another. */
        private byte[] address(String text) {
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
                throw wrong(right, noAddress);
            }
            throw wrong(right, null);
        }

        private TransportException wrong(String right, Throwable cause) {
            return new TransportException(
                    "option %s is '%s', where '%s' is no network: %s"
                            .formatted(option, whole, part, right),
                    cause);
        }
    }
}
