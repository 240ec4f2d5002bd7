// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Maps the names of Aeron's settings, as system properties and environment variables, to options of
 * this driver, so that it can replace an Aeron driver without editing any settings.
 */
final class AeronNames {
    private static final String PROPERTY = "aeron.";
    private static final String VARIABLE = "AERON_";
    private static final String NEIGHBORS = "aeron.driver.resolver.bootstrap.neighbor";

    /** An Aeron setting: the options that it sets, and the conversion of its value. */
    private record Named(List<String> options, UnaryOperator<String> value) {}

    private static final Map<String, Named> BY_PROPERTY = new TreeMap<>();

    static {
        same("aeron.dir", "dir");
        same("aeron.term.buffer.length", "term-length");
        same("aeron.mtu.length", "mtu");
        same("aeron.ipc.publication.term.window.length", "ipc-window");
        same("aeron.client.liveness.timeout", "client-liveness-timeout");
        same("aeron.publication.unblock.timeout", "unblock-timeout");
        same("aeron.counters.values.buffer.length", "counter-values-length");
        same("aeron.error.buffer.length", "error-log-length");
        same("aeron.file.page.size", "file-page-size");
        flag("aeron.tether.subscriptions", "tether-subscriptions");
        flag("aeron.rejoin.stream", "rejoin-stream");
        same("aeron.untethered.window.limit.timeout", "untethered-window-limit-timeout");
        named(
                "aeron.untethered.linger.timeout",
                "untethered-linger-timeout",
                time -> time.equals("-1") ? "" : time);
        same("aeron.untethered.resting.timeout", "untethered-resting-timeout");
        for (String agent : List.of("conductor", "sender", "receiver")) {
            same("aeron.driver." + agent + ".cycle.threshold", agent + ".cycle-threshold");
        }
        same("aeron.name.resolver.threshold", "look-up-threshold");
        same("aeron.driver.name.resolver.threshold", "look-up-threshold");
        named("aeron.threading.mode", "threading", mode -> mode.toLowerCase(Locale.ROOT));
        named(
                "aeron.driver.termination.validator",
                "terminable",
                name -> Boolean.toString(name.toLowerCase(Locale.ROOT).contains("allow")));
        same("aeron.rcv.initial.window.length", "udp.window");
        same("aeron.publication.term.window.length", "udp.publication-window");
        named("aeron.socket.so_rcvbuf", "udp.receive-buffer", AeronNames::unlessZero);
        named("aeron.socket.so_sndbuf", "udp.send-buffer", AeronNames::unlessZero);
        same("aeron.rcv.status.message.timeout", "udp.status-interval");
        same("aeron.publication.connection.timeout", "udp.connection-timeout");
        same("aeron.image.liveness.timeout", "udp.image-timeout");
        also("aeron.image.liveness.timeout", "image-liveness-timeout");
        flag("aeron.spies.simulate.connection", "spies-connect");
        flag("aeron.dir.delete.on.shutdown", "delete-on-shutdown");
        same("aeron.publication.linger.timeout", "udp.linger");
        same("aeron.nak.unicast.delay", "udp.nak-delay");
        same("aeron.nak.multicast.max.backoff", "udp.nak-backoff");
        same("aeron.retransmit.unicast.linger", "udp.retransmit-linger");
        same("aeron.max.resend", "udp.max-resend");
        same("aeron.sender.wildcard.port.range", "udp.sender-port-range");
        same("aeron.receiver.wildcard.port.range", "udp.receiver-port-range");
        same("aeron.receiver.group.tag", "udp.group-tag");
        same("aeron.flow.control.group.tag", "udp.flow-control-tag");
        same("aeron.flow.control.group.min.size", "udp.flow-control-group-size");
        same("aeron.flow.control.receiver.timeout", "udp.receiver-timeout");
        same("aeron.driver.resolver.name", "resolver.name");
        same("aeron.driver.resolver.interface", "resolver.interface");
        named(NEIGHBORS, "resolver.bootstrap-neighbor", AeronNames::wellFormed);
        same("aeron.driver.resolver.neighbor.timeout", "resolver.neighbor-timeout");
        for (String whose : List.of("self", "neighbor", "bootstrap.neighbor")) {
            same(
                    "aeron.driver.resolver." + whose + ".resolution.interval",
                    "resolver." + whose.replace('.', '-') + "-resolution-interval");
        }
        flow("unicast", "udp.unicast-flow-control");
        flow("multicast", "udp.flow-control");
    }

    private final Set<String> unused = new TreeSet<>();

    private static void same(String property, String option) {
        named(property, option, UnaryOperator.identity());
    }

    private static void named(String property, String option, UnaryOperator<String> value) {
        BY_PROPERTY.put(property, new Named(List.of(option), value));
    }

    /** Maps a Boolean as Aeron's C driver reads it; the option rejects any other word. */
    private static void flag(String property, String option) {
        named(
                property,
                option,
                word ->
                        switch (word.strip().toLowerCase(Locale.ROOT)) {
                            case "1", "on", "true" -> "true";
                            case "0", "off", "false" -> "false";
                            default -> word;
                        });
    }

    /**
     * Maps flow control. The Java driver names a class and its supplier; the C driver names a
     * function.
     */
    private static void flow(String kind, String option) {
        named("aeron." + kind + ".flow.control.strategy", option, AeronNames::strategy);
        named("aeron." + kind + ".FlowControl.supplier", option, AeronNames::strategy);
    }

    /** Returns the strategy with a name; the name itself if it is unknown. */
    private static String strategy(String name) {
        String simple = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        String bare = simple.startsWith("aeron_") ? simple.substring("aeron_".length()) : simple;
        for (String strategy : List.of("max", "min", "tagged")) {
            if (bare.startsWith(strategy)) {
                return strategy;
            }
        }
        return bare.startsWith("unicast") ? "max" : name;
    }

    /** Adds another option that an Aeron setting sets. */
    private static void also(String property, String option) {
        Named named = BY_PROPERTY.get(property);
        List<String> options = new ArrayList<>(named.options);
        options.add(option);
        BY_PROPERTY.put(property, new Named(List.copyOf(options), named.value));
    }

    /**
     * Drops a value of 0, for which Aeron uses the system's default; here the driver's default
     * remains.
     */
    private static String unlessZero(String value) {
        return value.equals("0") ? "" : value;
    }

    /** Drops bootstrap neighbors that are not {@code host:port}; Aeron tries the next neighbor. */
    private static String wellFormed(String neighbors) {
        return Arrays.stream(neighbors.split(","))
                .filter(AeronNames::isWellFormed)
                .collect(Collectors.joining(","));
    }

    private static boolean isWellFormed(String neighbor) {
        try {
            Endpoint.parse(neighbor);
            return true;
        } catch (BusException malformed) {
            return false;
        }
    }

    /** Receives the settings that were found. */
    @FunctionalInterface
    interface Settings {
        /** Sets an option; the source is text for messages. */
        void set(String option, String value, String source);
    }

    /** Reads environment variables. */
    void environment(Map<String, String> variables, Settings settings) {
        new TreeMap<>(variables)
                .forEach(
                        (key, value) -> {
                            if (key.startsWith(VARIABLE)) {
                                set(property(key), value, "environment variable " + key, settings);
                            }
                        });
    }

    /** Returns the property of a variable, whose name does not distinguish dots and underscores. */
    private static String property(String variable) {
        for (String property : BY_PROPERTY.keySet()) {
            if (property.replace('.', '_').toUpperCase(Locale.ROOT).equals(variable)) {
                return property;
            }
        }
        return variable;
    }

    /** Reads system properties. */
    void properties(Map<String, String> properties, Settings settings) {
        new TreeMap<>(properties)
                .forEach(
                        (key, value) -> {
                            if (key.startsWith(PROPERTY)) {
                                set(key, value, "system property " + key, settings);
                            }
                        });
    }

    private void set(String property, String value, String source, Settings settings) {
        Named named = BY_PROPERTY.get(property);
        if (named == null) {
            unused.add(property);
            return;
        }
        String here = named.value.apply(value);
        if (property.equals(NEIGHBORS) && !here.equals(value)) {
            unused.add(property + " (in part: a neighbor must be host:port)");
        }
        if (!here.isEmpty()) {
            named.options.forEach(option -> settings.set(option, here, source));
        }
    }

    /** Returns Aeron's properties that set an option of this driver. */
    static Set<String> known() {
        return BY_PROPERTY.keySet();
    }

    /** Returns Aeron's names that were read and have no effect here, in alphabetical order. */
    Set<String> unused() {
        return unused;
    }
}
