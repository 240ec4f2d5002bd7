// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.samples.cluster.MatchingEngine;

/** Encodes the state of a member's books as words of a line. */
final class BookState {
    private BookState() {}

    static String toWords(MatchingEngine.State state) {
        return state.orders()
                + " "
                + state.trades()
                + " "
                + state.volume()
                + " "
                + state.checksum();
    }

    static MatchingEngine.State parse(String words) {
        String[] numbers = words.split(" ");
        return new MatchingEngine.State(
                Long.parseLong(numbers[0]),
                Long.parseLong(numbers[1]),
                Long.parseLong(numbers[2]),
                Long.parseLong(numbers[3]));
    }
}
