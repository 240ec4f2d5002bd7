// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.resolver;

import io.verbus.driver.background.HostNames;

import org.agrona.concurrent.status.CountersManager;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Resolves a name as another driver's, then as this driver's own, then through the system.
 * Thread-safe.
 *
 * @param known names that other drivers have announced.
 * @param ownName name of this driver.
 * @param ownAddress address of this driver's resolver.
 * @param system resolves all other names; already open.
 */
record ResolverNames(KnownDrivers known, String ownName, InetAddress ownAddress, HostNames system)
        implements HostNames {
    @Override
    public void open(CountersManager counters) {}

    @Override
    public InetAddress address(String name) throws UnknownHostException {
        InetAddress told = known.address(name);
        if (told != null) {
            return told;
        }
        return name.equals(ownName) ? ownAddress : system.address(name);
    }
}
