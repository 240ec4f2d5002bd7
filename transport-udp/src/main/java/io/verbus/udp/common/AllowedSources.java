// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

/** The hosts whose datagrams are taken, from the option {@link #ALLOW}; all unless it is set. */
public final class AllowedSources {
    private static final String ALL = "all";

    /** Networks of peers. */
    public static final Option<String> ALLOW =
            Option.of(
                    "udp.allow",
                    ALL,
                    "IPv4 and IPv6 networks and addresses with commas between them, or all",
                    "Networks from which the driver accepts datagrams; it drops others.",
                    text -> text);

    private AllowedSources() {}

    /**
     * Reads the option.
     *
     * @return the networks; null where all hosts are allowed.
     * @throws TransportException that names the part that is no network.
     */
    public static Networks networks(TransportSettings settings) {
        String text = ALLOW.read(settings);
        return text.equals(ALL) ? null : Networks.of(ALLOW.name(), text);
    }

    /** What the error log is told of a host that was refused. */
    public static String refusal(String host) {
        return "datagrams of "
                + host
                + " are dropped: if the host may take part, add it to verbus.udp.allow";
    }
}
