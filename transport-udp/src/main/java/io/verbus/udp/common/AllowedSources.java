// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

/**
 * Hosts whose datagrams are accepted, according to the option {@link #ALLOW}; all hosts by default.
 */
public final class AllowedSources {
    private static final String ALL = "all";

    /** Networks of peers. */
    public static final Option<String> ALLOW =
            Option.of(
                    "udp.allow",
                    ALL,
                    "IPv4 and IPv6 networks and addresses, separated by commas, or all",
                    "Networks from which the driver accepts datagrams; it drops all other"
                            + " datagrams.",
                    text -> text);

    private AllowedSources() {}

    /**
     * Reads the option.
     *
     * @return the networks, or null if all hosts are allowed.
     * @throws TransportException if a part is not a network.
     */
    public static Networks networks(TransportSettings settings) {
        String text = ALLOW.read(settings);
        return text.equals(ALL) ? null : Networks.of(ALLOW.name(), text);
    }

    /** Returns the error log entry for a rejected host. */
    public static String refusal(String host) {
        return "dropping datagrams from "
                + host
                + ": to admit the host, add it to verbus.udp.allow";
    }
}
