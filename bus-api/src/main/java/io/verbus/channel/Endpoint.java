// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.regex.Pattern;

/**
 * An address at which a driver receives. Names are not resolved here.
 *
 * @param host IPv4 address, IPv6 address without brackets, or host name.
 * @param port port from 0 to 65535; with 0, the receiving driver's system chooses one.
 */
public record Endpoint(String host, int port) {
    private static final Pattern IPV4 =
            Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");
    private static final Pattern NAME =
            Pattern.compile(
                    "(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?"
                            + "(?:\\.[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?)*");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}");
    private static final Pattern SCOPE = Pattern.compile("[A-Za-z0-9_.-]{1,15}");
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

    /**
     * Checks both values.
     *
     * @throws BusException if the host is invalid or the port is out of range.
     */
    public Endpoint {
        checkHost(host);
        if (port < 0 || port > 65535) {
            throw new BusException("port " + port + " is invalid: it must be from 0 to 65535");
        }
    }

    /**
     * Parses an endpoint.
     *
     * @param text text such as {@code 10.0.0.2:7400}, {@code [fe80::1]:7400} or {@code host:7400}.
     * @return the endpoint.
     * @throws BusException if the text is invalid.
     */
    public static Endpoint parse(String text) {
        int colon = text.lastIndexOf(':');
        boolean bracketed = text.startsWith("[");
        if (colon < 1
                || !PORT.matcher(text.substring(colon + 1)).matches()
                || bracketed != (text.charAt(colon - 1) == ']')) {
            throw new BusException(
                    "endpoint '"
                            + text
                            + "' is invalid: it must be host:port, such as 10.0.0.2:7400 or "
                            + "[fe80::1]:7400");
        }
        String host = bracketed ? text.substring(1, colon - 1) : text.substring(0, colon);
        if (bracketed != isIpv6(host)) {
            throw wrongHost(bracketed ? "[" + host + "]" : host);
        }
        return new Endpoint(host, Integer.parseInt(text.substring(colon + 1)));
    }

    static String checkHost(String host) {
        boolean valid =
                DIGITS_AND_DOTS.matcher(host).matches()
                        ? IPV4.matcher(host).matches()
                        : NAME.matcher(host).matches() || isIpv6(host);
        if (!valid) {
            throw wrongHost(host);
        }
        return host;
    }

    private static BusException wrongHost(String host) {
        return new BusException(
                "host '"
                        + host
                        + "' is invalid: it must be an IPv4 address, an IPv6 address (in "
                        + "brackets if a port follows) or a host name");
    }

    private static boolean isIpv6(String host) {
        int percent = host.indexOf('%');
        String address = percent < 0 ? host : host.substring(0, percent);
        if (!IPV6.matcher(address).matches()
                || address.indexOf(':') < 0
                || percent >= 0 && !SCOPE.matcher(host.substring(percent + 1)).matches()) {
            return false;
        }
        try {
            Inet6Address.ofLiteral(address);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns whether the host is an IPv4 multicast address. */
    boolean isMulticast() {
        return IPV4.matcher(host).matches()
                && Integer.parseInt(host.substring(0, host.indexOf('.'))) >> 4 == 0b1110;
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        return text(host, port);
    }

    /**
     * Returns the text of a socket address, such as {@code 10.0.0.1:4000}, without a name lookup.
     * Allocates.
     */
    public static String text(InetSocketAddress address) {
        return text(
                address.isUnresolved()
                        ? address.getHostString()
                        : address.getAddress().getHostAddress(),
                address.getPort());
    }

    private static String text(String host, int port) {
        return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
    }
}
