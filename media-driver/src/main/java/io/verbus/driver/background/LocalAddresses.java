// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.util.Comparator;
import java.util.function.Predicate;

/**
 * Finds the local address that a channel's interface refers to: the first in a subnet, by interface
 * number, or the first of a named interface, IPv4 before IPv6. Thread-safe.
 */
public final class LocalAddresses {
    private LocalAddresses() {}

    /**
     * Returns the local address.
     *
     * @param name {@code ADDRESS/PREFIX} or <code>{NAME}</code>.
     * @return the address; null if this host has no such address.
     */
    public static InetAddress find(String name) {
        try {
            return name.startsWith("{")
                    ? ofInterface(name.substring(1, name.length() - 1))
                    : inSubnet(name);
        } catch (IOException e) {
            return null; // reported by the caller, with the channel
        }
    }

    private static InetAddress ofInterface(String name) throws IOException {
        NetworkInterface named = NetworkInterface.getByName(name);
        return named == null
                ? null
                : named.getInterfaceAddresses().stream()
                        .map(InterfaceAddress::getAddress)
                        .min(Comparator.comparing(each -> !(each instanceof Inet4Address)))
                        .orElse(null);
    }

    private static InetAddress inSubnet(String name) throws IOException {
        int slash = name.indexOf('/');
        byte[] subnet = InetAddress.getByName(name.substring(0, slash)).getAddress();
        int prefix = Integer.parseInt(name.substring(slash + 1));
        Predicate<InetAddress> isInSubnet = each -> hasPrefix(each.getAddress(), subnet, prefix);
        return NetworkInterface.networkInterfaces()
                .filter(LocalAddresses::isUp)
                .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                .flatMap(NetworkInterface::inetAddresses)
                .filter(isInSubnet)
                .findFirst()
                .orElse(null);
    }

    private static boolean isUp(NetworkInterface each) {
        try {
            return each.isUp();
        } catch (IOException gone) {
            return false;
        }
    }

    private static boolean hasPrefix(byte[] address, byte[] subnet, int prefix) {
        if (address.length != subnet.length) {
            return false;
        }
        for (int bit = 0; bit < prefix; bit++) {
            int mask = 0x80 >> bit % Byte.SIZE;
            if (((address[bit / Byte.SIZE] ^ subnet[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
