// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;
import io.verbus.transport.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * An option of the driver: a row of {@link DriverOptions}.
 *
 * @param <T> type of the value.
 */
public final class DriverOption<T> {
    private final Option<T> option;
    private final Function<DriverConfig, T> fallback;

    private DriverOption(Option<T> option, Function<DriverConfig, T> fallback) {
        this.option = option;
        this.fallback = fallback;
    }

    /** Rows in the order in which they were created. */
    static final class Rows {
        private final List<DriverOption<?>> all = new ArrayList<>();

        /** Creates a row whose default is the option's. */
        <T> DriverOption<T> row(Option<T> option) {
            T preset = option.parse(option.preset());
            return row(option, any -> preset);
        }

        /** Creates a row whose default depends on other options or on the system. */
        <T> DriverOption<T> row(Option<T> option, Function<DriverConfig, T> fallback) {
            DriverOption<T> row = new DriverOption<>(option, fallback);
            all.add(row);
            return row;
        }

        /** Creates a row without a default: its value is null unless set. */
        <T> DriverOption<T> optional(Option<T> option) {
            return row(option, null);
        }

        /** Returns these rows and then the others. */
        List<DriverOption<?>> followedBy(Rows others) {
            return Stream.concat(all.stream(), others.all.stream()).toList();
        }
    }

    /** Returns the option's name without prefix. */
    public String name() {
        return option.name();
    }

    /** Returns the option with its default, unit, range and help. */
    public Option<T> option() {
        return option;
    }

    /**
     * Returns the value that applies if the option is not set; null if the option has no default.
     */
    T fallback(DriverConfig config) {
        return fallback == null ? null : fallback.apply(config);
    }

    /**
     * Checks a value that an application has set; null is valid if the option has no default.
     *
     * @throws BusException if the value is invalid.
     */
    void check(T value) {
        if (value != null || fallback != null) {
            option.check(value);
        }
    }

    /**
     * Parses and sets a value.
     *
     * @param builder builder in which to set the value.
     * @param text value as text.
     * @param source source of the value, for the message.
     * @throws BusException if the value is invalid.
     */
    void set(DriverConfigBuilder builder, String text, String source) {
        T value;
        try {
            value = option.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BusException(
                    source + " has the invalid value '" + text + "': " + e.getMessage(), e);
        }
        builder.set(this, value);
    }
}
