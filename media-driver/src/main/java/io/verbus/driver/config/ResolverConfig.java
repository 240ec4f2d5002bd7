// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.transport.Option;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Settings of name resolution among drivers, and the options that set them.
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
    private static final int MAX_NAME = 512;
    private static final int MAX_BOOTSTRAP_NEIGHBORS = 20;
    private static final long MIN_TIME_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_TIME_NS = TimeUnit.DAYS.toNanos(1);

    static final DriverOption.Rows ROWS = new DriverOption.Rows();

    public static final DriverOption<String> NAME =
            ROWS.optional(
                    Option.of(
                            "resolver.name",
                            "none",
                            "a name of 1 to 512 printable ASCII characters without spaces",
                            "Name by which other drivers find this one; enables name resolution"
                                    + " among drivers.",
                            Function.identity(),
                            ResolverConfig::isName));

    public static final DriverOption<LocalInterface> INTERFACE =
            ROWS.row(
                    Option.of(
                            "resolver.interface",
                            "0.0.0.0:8050",
                            LocalInterface.RIGHT,
                            "Address and port at which the driver exchanges names with other"
                                    + " drivers.",
                            LocalInterface::parse,
                            Objects::nonNull));

    public static final DriverOption<List<Endpoint>> BOOTSTRAP_NEIGHBOR =
            ROWS.row(
                    Option.of(
                            "resolver.bootstrap-neighbor",
                            "none",
                            "at most 20 addresses or host names, each with a port, separated by"
                                    + " commas",
                            "Drivers to which this driver first sends its name; they pass the name"
                                    + " on.",
                            ResolverConfig::endpoints,
                            neighbors -> neighbors.size() <= MAX_BOOTSTRAP_NEIGHBORS),
                    any -> List.of());

    public static final DriverOption<Long> NEIGHBOR_TIMEOUT =
            time(
                    "neighbor-timeout",
                    "10s",
                    "Time after which the driver forgets a silent driver and its name.");

    public static final DriverOption<Long> SELF_INTERVAL =
            time("self-resolution-interval", "1s", "Interval for sending the driver's own name.");

    public static final DriverOption<Long> NEIGHBOR_INTERVAL =
            time(
                    "neighbor-resolution-interval",
                    "2s",
                    "Interval for sending the names learned from other drivers.");

    public static final DriverOption<Long> BOOTSTRAP_INTERVAL =
            time(
                    "bootstrap-neighbor-resolution-interval",
                    "10s",
                    "Interval for looking up the bootstrap neighbors again.");

    private static DriverOption<Long> time(String what, String preset, String help) {
        return ROWS.row(
                Option.duration("resolver." + what, preset, MIN_TIME_NS, MAX_TIME_NS, help));
    }

    private static boolean isName(String text) {
        return !text.isEmpty()
                && text.length() <= MAX_NAME
                && text.chars().allMatch(each -> each > ' ' && each < 0x7F);
    }

    private static List<Endpoint> endpoints(String text) {
        return Arrays.stream(text.split(",")).map(Endpoint::parse).toList();
    }

    /**
     * Returns the settings; null unless a setting that enables name resolution is set.
     *
     * @throws BusException if the name is missing.
     */
    static ResolverConfig of(DriverConfig config, boolean isInterfaceSet) {
        String name = config.get(NAME);
        List<Endpoint> neighbors = config.get(BOOTSTRAP_NEIGHBOR);
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
                config.get(INTERFACE),
                neighbors,
                config.get(NEIGHBOR_TIMEOUT),
                config.get(SELF_INTERVAL),
                config.get(NEIGHBOR_INTERVAL),
                config.get(BOOTSTRAP_INTERVAL));
    }
}
