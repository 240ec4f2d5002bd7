// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.channel.Spelling;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads a driver's settings from where operators write them. Later sources override earlier ones:
 * defaults, properties file, environment ({@code VERBUS_TERM_LENGTH}), system properties ({@code
 * verbus.term-length}), command line ({@code --term-length}).
 *
 * <p>Aeron's names of the same settings ({@code AERON_TERM_BUFFER_LENGTH}, {@code
 * aeron.term.buffer.length}) are read as well; Verbus names override them. {@link #unused} returns
 * Aeron's names that have no effect here.
 *
 * <p>Unknown names are rejected. Names that begin with the media of a transport, such as {@code
 * rdma.}, are options of that transport, which checks them when the driver starts.
 */
public final class DriverConfigSources {
    private static final String PROPERTY = "verbus.";
    private static final String VARIABLE = "VERBUS_";

    /** First words of names that belong to the launcher, the lab, the tests and clients. */
    private static final List<String> OTHERS =
            List.of(
                    "lab",
                    "java",
                    "test",
                    "demo",
                    "perf",
                    "jvm",
                    "home",
                    "class",
                    "cluster",
                    "debug",
                    "directory-owner",
                    "directory_owner");

    private final DriverConfigBuilder builder;
    private final Collection<String> media;
    private final AeronNames aeron = new AeronNames();

    /**
     * @param builder builder to set values in.
     * @param media media of the available transports.
     */
    public DriverConfigSources(DriverConfigBuilder builder, Collection<String> media) {
        this.builder = builder;
        this.media = List.copyOf(media);
    }

    /**
     * Reads a properties file. Names in it have no prefix, or {@code verbus.}.
     *
     * @param file file to read.
     */
    public DriverConfigSources file(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new BusException(
                    "cannot read the properties file " + file + " (" + e + "): check its path", e);
        }
        for (String key : new TreeSet<>(properties.stringPropertyNames())) {
            String name = key.startsWith(PROPERTY) ? key.substring(PROPERTY.length()) : key;
            set(name, properties.getProperty(key), key + " in " + file);
        }
        return this;
    }

    /**
     * Reads environment variables.
     *
     * @param variables environment, such as {@code System.getenv()}.
     */
    public DriverConfigSources environment(Map<String, String> variables) {
        aeron.environment(variables, this::setAerons);
        new TreeMap<>(variables)
                .forEach(
                        (key, value) -> {
                            if (key.startsWith(VARIABLE) && !isOthers(variableName(key))) {
                                set(variableName(key), value, "environment variable " + key);
                            }
                        });
        return this;
    }

    /**
     * Reads system properties.
     *
     * @param properties properties, such as {@code System.getProperties()}.
     */
    public DriverConfigSources properties(Properties properties) {
        Map<String, String> texts = new TreeMap<>();
        properties
                .stringPropertyNames()
                .forEach(name -> texts.put(name, properties.getProperty(name)));
        aeron.properties(texts, this::setAerons);
        for (String key : new TreeSet<>(properties.stringPropertyNames())) {
            if (key.startsWith(PROPERTY) && !isOthers(key.substring(PROPERTY.length()))) {
                set(
                        key.substring(PROPERTY.length()),
                        properties.getProperty(key),
                        "system property " + key);
            }
        }
        return this;
    }

    private void setAerons(String name, String value, String source) {
        if (name.indexOf('.') < 0 || isTransports(name) || DriverOptions.named(name) != null) {
            set(name, value, source);
        }
    }

    /** Returns Aeron's names that were read and have no effect here, in alphabetical order. */
    public Collection<String> unused() {
        return aeron.unused();
    }

    /**
     * Sets one value.
     *
     * @param name name without prefix.
     * @param value value as text.
     * @param source source of the value, for the message.
     */
    public DriverConfigSources set(String name, String value, String source) {
        DriverOption<?> option = DriverOptions.named(name);
        if (option != null) {
            option.set(builder, value, source);
            return this;
        }
        if (isTransports(name)) {
            builder.transportOption(name, value);
            return this;
        }
        throw new BusException(
                source
                        + " is not a driver setting"
                        + hint(name, source)
                        + ": use one of "
                        + String.join(
                                ", ", DriverOptions.ALL.stream().map(DriverOption::name).toList())
                        + transportHint());
    }

    /** Suggests a setting, spelled as in the source. */
    private static String hint(String name, String source) {
        boolean isVariable = source.contains(VARIABLE);
        List<String> known =
                DriverOptions.ALL.stream()
                        .map(option -> isVariable ? variable(option.name()) : option.name())
                        .toList();
        return Spelling.hint(isVariable ? variable(name) : name, known);
    }

    private static String variable(String name) {
        return VARIABLE + name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    private String transportHint() {
        StringBuilder hint = new StringBuilder();
        media.forEach(name -> hint.append(", ").append(name).append(".…"));
        return hint.toString();
    }

    private boolean isTransports(String name) {
        for (String prefix : media) {
            if (name.startsWith(prefix + ".") && name.length() > prefix.length() + 1) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOthers(String name) {
        for (String first : OTHERS) {
            if (name.equals(first)
                    || name.startsWith(first + ".")
                    || name.startsWith(first + "-")
                    || name.startsWith(first + "_")) {
                return true;
            }
        }
        return false;
    }

    /** Returns the option that a variable sets: {@code VERBUS_SENDER_CPU} is sender.cpu. */
    private String variableName(String variable) {
        String words = variable.substring(VARIABLE.length()).toLowerCase(Locale.ROOT);
        for (DriverOption<?> option : DriverOptions.ALL) {
            if (option.name().replace('.', '_').replace('-', '_').equals(words)) {
                return option.name();
            }
        }
        for (String prefix : media) {
            if (words.startsWith(prefix + "_")) {
                return prefix + "." + words.substring(prefix.length() + 1).replace('_', '-');
            }
        }
        return words;
    }

    /** Validates the settings and returns them. */
    public DriverConfig build() {
        return builder.unusedOptions(unused()).build();
    }
}
