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
 * @param selfIntervalNs nanoseconds between announcements of its own name.
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
     * Checks every value.
     *
     * @throws BusException if a value is invalid.
     */
    public ResolverConfig {
        if (name == null) {
            throw new BusException(
                    "resolver.name is missing, and resolver.interface or"
                            + " resolver.bootstrap-neighbor is set: name this driver, or remove"
                            + " them");
        }
        DriverOption.RESOLVER_NAME.check(name);
        DriverOption.RESOLVER_NEIGHBOR_TIMEOUT.check(neighborTimeoutNs + "ns");
        DriverOption.RESOLVER_SELF_INTERVAL.check(selfIntervalNs + "ns");
        DriverOption.RESOLVER_NEIGHBOR_INTERVAL.check(neighborIntervalNs + "ns");
        DriverOption.RESOLVER_BOOTSTRAP_INTERVAL.check(bootstrapIntervalNs + "ns");
        bootstrapNeighbors = List.copyOf(bootstrapNeighbors);
    }
}
