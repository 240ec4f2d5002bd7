// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeronmd;

import java.util.HashMap;
import java.util.Map;

/**
 * Arguments from an environment variable, as Aeron writes them: {@code name=value|name=value}.
 *
 * @param variable that has them.
 * @param values by name.
 */
record Arguments(String variable, Map<String, String> values) {
    /**
     * Parses them.
     *
     * @throws IllegalArgumentException if one has no value.
     */
    static Arguments parse(String variable, String text) {
        if (text == null || text.isEmpty()) {
            throw new IllegalArgumentException(variable + " is not set: give name=value|…");
        }
        Map<String, String> values = new HashMap<>();
        for (String part : text.split("\\|")) {
            int at = part.indexOf('=');
            if (at < 0) {
                throw new IllegalArgumentException(
                        variable + " has '" + part + "': it must be name=value");
            }
            values.put(part.substring(0, at), part.substring(at + 1));
        }
        return new Arguments(variable, values);
    }

    /** A number of up to 32 bits, decimal or with {@code 0x}. */
    int integer(String name) {
        return (int) number(name);
    }

    /** A number of up to 64 bits, decimal or with {@code 0x}. */
    long number(String name) {
        String text = text(name);
        try {
            return text.startsWith("0x")
                    ? Long.parseUnsignedLong(text.substring(2), 16)
                    : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw invalid(name, text, e);
        }
    }

    /** A number from 0 to 1. */
    double share(String name) {
        String text = text(name);
        try {
            double share = Double.parseDouble(text);
            if (share >= 0 && share <= 1) {
                return share;
            }
            throw new NumberFormatException(text);
        } catch (NumberFormatException e) {
            throw invalid(name, text, e);
        }
    }

    private String text(String name) {
        String text = values.get(name);
        if (text == null) {
            throw new IllegalArgumentException(variable + " lacks " + name + "=…: add it");
        }
        return text;
    }

    private IllegalArgumentException invalid(String name, String text, Exception cause) {
        return new IllegalArgumentException(
                variable + " has " + name + "=" + text + ": it must be a number in range", cause);
    }
}
