// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.channel.Spelling;
import io.verbus.transport.Option;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportProvider;
import io.verbus.transport.TransportSettings;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Values set for one transport's options. */
public final class TransportOptions implements TransportSettings {
    private final TransportProvider provider;
    private final Map<String, String> values = new TreeMap<>();

    /**
     * @param provider provider of the transport.
     * @param all values of all transports' options, by name.
     */
    public TransportOptions(TransportProvider provider, Map<String, String> all) {
        this.provider = provider;
        all.forEach(
                (name, value) -> {
                    if (name.startsWith(provider.media() + ".")) {
                        values.put(name, value);
                    }
                });
    }

    @Override
    public String option(String name, String defaultValue) {
        return values.getOrDefault(name, defaultValue);
    }

    /**
     * Checks all values.
     *
     * @throws TransportException if a value is invalid, or its option is unknown.
     */
    public void check() {
        for (String name : values.keySet()) {
            if (provider.options().stream().noneMatch(option -> option.name().equals(name))) {
                throw new TransportException(
                        "the driver's setting "
                                + name
                                + " is not an option of its transport"
                                + Spelling.hint(
                                        name,
                                        provider.options().stream().map(Option::name).toList())
                                + ": use one of "
                                + provider.options().stream()
                                        .map(Option::name)
                                        .collect(Collectors.joining(", "))
                                + ", or remove the setting");
            }
        }
        provider.check(this);
    }
}
