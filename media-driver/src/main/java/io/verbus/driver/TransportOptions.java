// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.transport.TransportException;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The options of one transport. A transport asks for all that it knows while it is checked: one
 * that is set and was not asked for then is a mistake.
 */
final class TransportOptions {
    private final String prefix;
    private final Map<String, String> values = new TreeMap<>();
    private final Set<String> asked = new TreeSet<>();

    TransportOptions(String media, Map<String, String> all) {
        prefix = media + ".";
        all.forEach(
                (name, value) -> {
                    if (name.startsWith(prefix)) {
                        values.put(name, value);
                    }
                });
    }

    String get(String name, String defaultValue) {
        asked.add(name);
        return values.getOrDefault(name, defaultValue);
    }

    /**
     * @throws TransportException that names an option which was set but not asked for.
     */
    void checkAllAskedFor() {
        for (String name : values.keySet()) {
            if (!asked.contains(name)) {
                throw new TransportException(
                        "the driver's setting "
                                + name
                                + " is no option of its transport: use one of "
                                + String.join(", ", asked)
                                + ", or remove it");
            }
        }
    }
}
