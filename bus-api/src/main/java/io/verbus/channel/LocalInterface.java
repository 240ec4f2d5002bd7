// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address of this host from which a channel sends, or on which it joins a group. What it stands
 * for is looked up by the driver.
 *
 * @param name an IP address or host name; one with {@code /PREFIX} behind it for the first address
 *     in that subnet; or <code>{NAME}</code> for an interface.
 * @param port from 0 to 65535; 0 lets the system choose one.
 */
public record LocalInterface(String name, int port) {
    /** What a text must be. */
    public static final String RIGHT =
            "ADDRESS or {NAME} of an interface, maybe with :PORT, and an ADDRESS with /PREFIX of a"
                    + " subnet, such as 10.1.0.0/16";

    private static final Pattern NAMED =
            Pattern.compile("(?<name>\\{[A-Za-z0-9_.@-]{1,15}})(?::(?<port>[0-9]{1,5}))?");
    private static final Pattern PREFIX = Pattern.compile("[0-9]{1,3}");
    private static final int MAX_PREFIX = 128;
    private static final int MAX_PREFIX_V4 = 32;

    /** The interface that a text names; null if it names none. */
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

    /** Name of the interface itself, as the system has it; null if an address was named. */
    public String device() {
        return name.startsWith("{") ? name.substring(1, name.length() - 1) : null;
    }

    /** Whether a name is one of an interface or a subnet, and not of a host. */
    public static boolean isSearched(String name) {
        return name.startsWith("{") || name.indexOf('/') >= 0;
    }

    /** The text that names it. */
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
