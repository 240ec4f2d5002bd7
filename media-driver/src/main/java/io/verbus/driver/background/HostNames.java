// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import org.agrona.concurrent.status.CountersManager;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.Security;
import java.util.ServiceLoader;

/**
 * What knows the hosts behind names: the system, unless {@link ServiceLoader} finds another, which
 * only tests have.
 */
public interface HostNames {
    /**
     * Makes it ready. Conductor's thread, once, before all else.
     *
     * @param counters of the driver, of which some may be allocated.
     */
    void open(CountersManager counters);

    /**
     * Looks a name up, for as long as that takes. A background thread.
     *
     * @throws UnknownHostException if it leads nowhere.
     */
    InetAddress address(String name) throws UnknownHostException;

    /** Those that there are. */
    static HostNames present(CountersManager counters) {
        HostNames hosts =
                ServiceLoader.load(HostNames.class, HostNames.class.getClassLoader())
                        .findFirst()
                        .orElseGet(SystemNames::new);
        hosts.open(counters);
        return hosts;
    }

    /**
     * Has this JVM ask the system each time, unless its user has set how long it remembers answers:
     * by itself it remembers them for 30 s, and a name that has moved must be found within seconds.
     * Before the first name is looked up, in a process that is a driver only.
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

    /** The system's: /etc/hosts, DNS, and what else it is set up for. */
    record SystemNames() implements HostNames {
        @Override
        public void open(CountersManager counters) {}

        @Override
        public InetAddress address(String name) throws UnknownHostException {
            return InetAddress.getByName(name);
        }
    }
}
