// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.List;

/**
 * Messages to publish.
 *
 * @param messages total number of messages.
 * @param firstPaced sequence number of the first message sent at a fixed rate; earlier ones are
 *     sent as fast as back pressure allows.
 * @param rate rate of the paced messages, per second.
 */
record DemoPlan(int messages, int firstPaced, int rate) {
    /** Stream id of the messages. */
    static final int STREAM_ID = 1001;

    private static final int PACED_FRACTION = 5;
    private static final int LONGEST_PACED_S = 10;

    /** Creates a plan in which the last fifth of the messages is paced, for at most ten seconds. */
    static DemoPlan of(int messages, int rate) {
        long paced = Math.min(messages / PACED_FRACTION, (long) rate * LONGEST_PACED_S);
        return new DemoPlan(messages, (int) (messages - Math.max(1, paced)), rate);
    }

    /** Encodes the plan as arguments of a process. */
    List<String> words() {
        return List.of(
                Integer.toString(messages), Integer.toString(firstPaced), Integer.toString(rate));
    }

    /** Parses the output of {@link #words}. */
    static DemoPlan parse(String[] args, int from) {
        return new DemoPlan(
                Integer.parseInt(args[from]),
                Integer.parseInt(args[from + 1]),
                Integer.parseInt(args[from + 2]));
    }
}
