// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import org.agrona.concurrent.status.CountersManager;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.Security;
import java.util.ServiceLoader;

/**
 * Resolves host names. This is the system's resolver unless {@link ServiceLoader} finds another
 * one, which only tests provide.
 */
public interface HostNames {
    /**
     * Initializes the resolver. Called once by the conductor's thread, before all other methods.
     *
     * @param counters counters of the driver, in which the resolver may allocate its own.
     */
    void open(CountersManager counters);

    /**
     * Looks up a name, which may block for long. Called by a background thread.
     *
     * @throws UnknownHostException if the name cannot be resolved.
     */
    InetAddress address(String name) throws UnknownHostException;

    /** Returns the resolver to use, initialized. */
    static HostNames present(CountersManager counters) {
        HostNames hosts =
                ServiceLoader.load(HostNames.class, HostNames.class.getClassLoader())
                        .findFirst()
                        .orElseGet(SystemNames::new);
        hosts.open(counters);
        return hosts;
    }

    /**
     * Disables the JVM's cache of host names, unless the user has configured it. The default of 30
     * s would hide a moved name for too long. Must be called before the first lookup, and only in a
     * process that is a driver.
     */
    static void rememberNothing() {
        for (String kind : new String[] {"", "negative."}) {
            boolean isSet =
                    System.getProperty("sun.net.inetaddr." + kind + "ttl") != null
                            || kind.isEmpty()
                                    && Security.getProperty("networkaddress.cache.ttl") != null;
            if (!isSet) {
                Security.setProperty("networkaddress.cache." + kind + "ttl", "0");
            }
        }
    }

    /** The system's resolver: /etc/hosts, DNS, and other configured sources. */
    record SystemNames() implements HostNames {
        @Override
        public void open(CountersManager counters) {}

        @Override
        public InetAddress address(String name) throws UnknownHostException {
            return InetAddress.getByName(name);
        }
    }
}
