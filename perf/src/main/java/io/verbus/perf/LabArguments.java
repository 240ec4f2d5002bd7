// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The arguments of a command as they are given on in the lab. */
final class LabArguments {
    private LabArguments() {}

    /**
     * Leaves out options and their values.
     *
     * @param arguments as the user typed them, values in a word of their own or after {@code =}.
     * @param options to leave out.
     */
    static List<String> without(List<String> arguments, Set<String> options) {
        List<String> kept = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            int equals = argument.indexOf('=');
            if (options.contains(argument)) {
                i++;
            } else if (equals < 0 || !options.contains(argument.substring(0, equals))) {
                kept.add(argument);
            }
        }
        return kept;
    }
}
