// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;

import java.util.List;

/**
 * Settings of name resolution among drivers.
 *
 * @param name name that this driver announces.
 * @param localInterface address and port to listen at and send from.
 * @param bootstrapNeighbors drivers to contact first.
 * @param neighborTimeoutNs nanoseconds after which a silent driver is forgotten.
 * @param selfIntervalNs nanoseconds between announcements of this driver's own name.
 * @param neighborIntervalNs nanoseconds between announcements of other drivers' names.
 * @param bootstrapIntervalNs nanoseconds after which the bootstrap neighbors are looked up again.
 */
public record ResolverConfig(
        String name,
        LocalInterface localInterface,
        List<Endpoint> bootstrapNeighbors,
        long neighborTimeoutNs,
        long selfIntervalNs,
        long neighborIntervalNs,
        long bootstrapIntervalNs) {

    /**
     * Returns the settings; null unless a setting that enables name resolution is set.
     *
     * @throws BusException if the name is missing.
     */
    static ResolverConfig of(DriverConfig config, boolean isInterfaceSet) {
        String name = config.get(DriverOption.RESOLVER_NAME);
        List<Endpoint> neighbors = config.get(DriverOption.RESOLVER_BOOTSTRAP_NEIGHBOR);
        if (name == null && !isInterfaceSet && neighbors.isEmpty()) {
            return null;
        }
        if (name == null) {
            throw new BusException(
                    "resolver.interface or resolver.bootstrap-neighbor is set, but resolver.name is"
                            + " missing: set resolver.name, or remove the other two settings");
        }
        return new ResolverConfig(
                name,
                config.get(DriverOption.RESOLVER_INTERFACE),
                neighbors,
                config.get(DriverOption.RESOLVER_NEIGHBOR_TIMEOUT),
                config.get(DriverOption.RESOLVER_SELF_INTERVAL),
                config.get(DriverOption.RESOLVER_NEIGHBOR_INTERVAL),
                config.get(DriverOption.RESOLVER_BOOTSTRAP_INTERVAL));
    }
}
