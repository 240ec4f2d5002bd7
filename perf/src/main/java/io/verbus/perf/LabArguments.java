// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Command-line arguments to pass on to the lab. */
final class LabArguments {
    private LabArguments() {}

    /**
     * Returns the arguments without some options and their values.
     *
     * @param arguments words as the user typed them; a value is the next word or follows {@code =}.
     * @param options names of the options to remove.
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
