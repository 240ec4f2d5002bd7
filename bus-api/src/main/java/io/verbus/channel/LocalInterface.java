// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A local address from which a channel sends, or on which it joins a group. The driver resolves it.
 *
 * @param name IP address or host name; the same with {@code /PREFIX} for the first address in that
 *     subnet; or <code>{NAME}</code> of an interface.
 * @param port port from 0 to 65535; with 0, the system chooses one.
 */
public record LocalInterface(String name, int port) {
    /** Describes a valid text. */
    public static final String RIGHT =
            "ADDRESS or {NAME} of an interface, optionally with :PORT; an ADDRESS may end with the"
                    + " /PREFIX of a subnet, such as 10.1.0.0/16";

    private static final Pattern NAMED =
            Pattern.compile("(?<name>\\{[A-Za-z0-9_.@-]{1,15}})(?::(?<port>[0-9]{1,5}))?");
    private static final Pattern PREFIX = Pattern.compile("[0-9]{1,3}");
    private static final int MAX_PREFIX = 128;
    private static final int MAX_PREFIX_V4 = 32;

    /** Parses a local address; returns null if the text is invalid. */
    public static LocalInterface parse(String text) {
        Matcher named = NAMED.matcher(text);
        if (named.matches()) {
            String port = named.group("port");
            int number = port == null ? 0 : Integer.parseInt(port);
            return number > 65535 ? null : new LocalInterface(named.group("name"), number);
        }
        int slash = text.indexOf('/');
        Endpoint address = address(slash < 0 ? text : text.substring(0, slash));
        if (address == null || slash < 0) {
            return address == null ? null : new LocalInterface(address.host(), address.port());
        }
        String prefix = text.substring(slash + 1);
        int most = address.host().indexOf(':') < 0 ? MAX_PREFIX_V4 : MAX_PREFIX;
        return !PREFIX.matcher(prefix).matches() || Integer.parseInt(prefix) > most
                ? null
                : new LocalInterface(
                        address.host() + '/' + Integer.parseInt(prefix), address.port());
    }

    private static Endpoint address(String text) {
        try {
            boolean isBracketed = text.startsWith("[") && text.endsWith("]");
            return new Endpoint(isBracketed ? text.substring(1, text.length() - 1) : text, 0);
        } catch (BusException noHost) {
            try {
                return Endpoint.parse(text);
            } catch (BusException noAddress) {
                return null;
            }
        }
    }

    /** Returns the system's name of the interface; null if an address was given. */
    public String device() {
        return name.startsWith("{") ? name.substring(1, name.length() - 1) : null;
    }

    /** Returns whether a name is that of an interface or a subnet, rather than of a host. */
    public static boolean isSearched(String name) {
        return name.startsWith("{") || name.indexOf('/') >= 0;
    }

    /**
     * Returns how to write a network interface that a channel names as if it were a host; null if
     * this host has no such interface. Makes system calls.
     */
    public static String remedyFor(String host) {
        try {
            return NetworkInterface.getByName(host) == null
                    ? null
                    : "it is the name of a network interface, so write interface={" + host + "}";
        } catch (SocketException unreadable) {
            return null; // the caller names its own remedy
        }
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        if (port == 0) {
            return name;
        }
        int slash = name.indexOf('/');
        String host = slash < 0 ? name : name.substring(0, slash);
        String prefix = slash < 0 ? "" : name.substring(slash);
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port + prefix;
    }
}
