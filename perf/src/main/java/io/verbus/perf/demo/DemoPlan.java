// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.List;

/**
 * What is published.
 *
 * @param messages in all.
 * @param firstPaced sequence number of the first message that is sent at a fixed rate; those before
 *     it are sent as fast as back pressure allows.
 * @param rate of the paced messages, per second.
 */
record DemoPlan(int messages, int firstPaced, int rate) {
    /** Stream that the messages are in. */
    static final int STREAM_ID = 1001;

    private static final int PACED_FRACTION = 5;
    private static final int LONGEST_PACED_S = 10;

    /** The last fifth of the messages is paced, though for no longer than ten seconds. */
    static DemoPlan of(int messages, int rate) {
        long paced = Math.min(messages / PACED_FRACTION, (long) rate * LONGEST_PACED_S);
        return new DemoPlan(messages, (int) (messages - Math.max(1, paced)), rate);
    }

    /** As arguments of a process. */
    List<String> words() {
        return List.of(
                Integer.toString(messages), Integer.toString(firstPaced), Integer.toString(rate));
    }

    /** Reads {@link #words} from the arguments of a process. */
    static DemoPlan parse(String[] args, int from) {
        return new DemoPlan(
                Integer.parseInt(args[from]),
                Integer.parseInt(args[from + 1]),
                Integer.parseInt(args[from + 2]));
    }
}
