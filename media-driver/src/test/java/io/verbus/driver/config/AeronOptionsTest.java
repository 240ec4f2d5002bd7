// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.verbus.transport.Option;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Each option in Aeron's own list is supported here, or listed on the page of options without
 * effect; values that Aeron's driver accepts are accepted here.
 */
class AeronOptionsTest {
    private static final Path PAGE = Path.of("../docs/aeron.md");
    private static final String DAY = "86400s";

    /** Names that only Aeron's C driver, or an older one, has. */
    private static final Set<String> OF_C =
            Set.of(
                    "aeron.driver.name.resolver.threshold",
                    "aeron.unicast.flow.control.strategy",
                    "aeron.multicast.flow.control.strategy");

    /** Boundary values of each kind; Aeron's driver determines the kind of an option. */
    private static final List<String> TIMES = List.of("1s", "500ms", "2000000000", DAY);

    private static final List<String> SIZES = List.of("64k", "65536", "1m");
    private static final List<String> COUNTS = List.of("1", "64");
    private static final List<String> FLAGS = List.of("true", "false");

    /** Samples for options that need values other than those of their kind. */
    private static final Map<String, List<String>> OWN =
            Map.of(
                    "aeron.mtu.length", List.of("1408", "8k", "65504"),
                    "aeron.term.buffer.length", List.of("64k", "1g"),
                    "aeron.rcv.initial.window.length", List.of("1408", "64k", "128m"),
                    "aeron.socket.so_rcvbuf", List.of("0", "1408", "64k", "1g"),
                    "aeron.socket.so_sndbuf", List.of("0", "1408", "64k", "1g"),
                    "aeron.file.page.size", List.of("4k", "2097152", "1g"),
                    "aeron.max.resend", List.of("1", "256"));

    private static Set<String> properties() throws IllegalAccessException {
        Set<String> all = new TreeSet<>();
        for (Field field : Configuration.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getName().endsWith("PROP_NAME")) {
                all.add((String) field.get(null));
            }
        }
        return all;
    }

    private static String unusedOnThePage() throws IOException {
        String page = Files.readString(PAGE);
        return page.substring(
                page.indexOf("<!-- unused -->"), page.indexOf("<!-- end of unused -->"));
    }

    @Test
    void eachAeronOptionIsSupportedOrListedOnPage() throws Exception {
        Set<String> all = properties();
        assertTrue(all.size() > 80, all.size() + " options");
        Set<String> expected = new TreeSet<>(all);
        expected.removeAll(AeronNames.known());
        Set<String> listed =
                Pattern.compile("`(aeron\\.[^`]*)`")
                        .matcher(unusedOnThePage())
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(expected, listed, "mend " + PAGE);
    }

    @Test
    void pageListsEachSupportedAeronOption() throws IOException {
        String page = Files.readString(PAGE);
        List<String> absent =
                AeronNames.known().stream()
                        .filter(name -> !page.contains("`" + name + "`"))
                        .toList();
        assertEquals(List.of(), absent, "add them to " + PAGE);
    }

    private static Map<String, Option<?>> options() {
        Map<String, Option<?>> all = new HashMap<>();
        DriverOptions.ALL.forEach(each -> all.put(each.name(), each.option()));
        io.verbus.driver.MediaDriver.presentOptions().forEach(each -> all.put(each.name(), each));
        return all;
    }

    /** The error for a value here; null if it is accepted. */
    private static String refusal(String property, String value) {
        Map<String, Option<?>> options = options();
        String[] refusal = new String[1];
        new AeronNames()
                .properties(
                        Map.of(property, value),
                        (option, here, source) -> {
                            try {
                                options.get(option).parse(here);
                            } catch (IllegalArgumentException e) {
                                refusal[0] = property + "=" + value + ": " + e.getMessage();
                            }
                        });
        return refusal[0];
    }

    @Test
    void ignoresMalformedBootstrapNeighborsAndShowsThem() {
        Map<String, String> set = new HashMap<>();
        AeronNames names = new AeronNames();
        String neighbors = "just:wrong,unknown-host:8050,,10.0.0.1:8051";
        names.environment(
                Map.of("AERON_DRIVER_RESOLVER_BOOTSTRAP_NEIGHBOR", neighbors),
                (option, here, source) -> set.put(option, here));
        assertEquals(Map.of("resolver.bootstrap-neighbor", "unknown-host:8050,10.0.0.1:8051"), set);
        assertEquals(1, names.unused().size());
    }

    /** Whether Aeron's driver accepts the value for an option. */
    private static boolean isTakenByAeron(String property, String value) {
        String before = System.getProperty(property);
        System.setProperty(property, value);
        try {
            return new MediaDriver.Context() != null;
        } catch (RuntimeException notOfItsKind) {
            return false;
        } finally {
            if (before == null) {
                System.clearProperty(property);
            } else {
                System.setProperty(property, before);
            }
        }
    }

    /** The samples for an option, by the kind of its default here. */
    private static List<String> samples(String property) {
        if (OWN.containsKey(property)) {
            return OWN.get(property);
        }
        if (property.endsWith(".window.length") || property.endsWith(".buffer.length")) {
            return SIZES;
        }
        if (property.matches(".*\\.(timeout|interval|threshold|delay|linger|backoff)")) {
            return TIMES;
        }
        if (property.matches(".*\\.(subscriptions|rejoin\\.stream|connection|shutdown)")) {
            return FLAGS;
        }
        return property.matches(".*\\.(tag|size)") ? COUNTS : List.of();
    }

    @Test
    void acceptsValuesThatAeronAccepts() throws IllegalAccessException {
        Map<String, List<String>> asked = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        for (String property : AeronNames.known()) {
            for (String value : samples(property)) {
                asked.computeIfAbsent(property, none -> new ArrayList<>()).add(value);
                if (!OF_C.contains(property) && !isTakenByAeron(property, value)) {
                    wrong.add("Aeron does not take " + property + "=" + value);
                }
                String refusal = refusal(property, value);
                if (refusal != null) {
                    wrong.add(refusal);
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(asked.size() > 35, "options with samples: " + asked.keySet());
        Set<String> untold = new TreeSet<>(OF_C);
        untold.removeAll(AeronNames.known());
        assertEquals(Set.of(), untold);
    }

    @Test
    void nameResolutionTimesHaveAeronDefaults() {
        ResolverConfig ours = DriverConfig.builder().resolverName("a").build().resolver();
        MediaDriver.Context theirs = new MediaDriver.Context();
        assertEquals(theirs.resolverNeighborTimeoutNs(), ours.neighborTimeoutNs());
        assertEquals(theirs.resolverSelfResolutionIntervalNs(), ours.selfIntervalNs());
        assertEquals(theirs.resolverNeighborResolutionIntervalNs(), ours.neighborIntervalNs());
        assertEquals(
                theirs.resolverBootstrapNeighborResolutionIntervalNs(), ours.bootstrapIntervalNs());
    }
}
