// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

/**
 * Result of the cluster's client.
 *
 * @param acknowledged number of acknowledged orders.
 * @param duplicated number of acknowledgements of orders that were applied twice or out of order.
 * @param failoverNs longest time in nanoseconds from one leader's last acknowledgement to the next
 *     leader's first.
 * @param p50Ns median latency of orders outside failovers in nanoseconds.
 * @param p99Ns 99th percentile of their latency in nanoseconds.
 */
record ClientResult(long acknowledged, long duplicated, long failoverNs, long p50Ns, long p99Ns) {
    private static final String WORD = "result ";

    /** Returns whether a line of a process's output is a result. */
    static boolean isLine(String line) {
        return line.startsWith(WORD);
    }

    /** Parses the output of {@link #toLine}. */
    static ClientResult parse(String line) {
        String[] words = line.split(" ");
        return new ClientResult(
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]));
    }

    /** Encodes the result as one line. */
    String toLine() {
        return WORD
                + acknowledged
                + " "
                + duplicated
                + " "
                + failoverNs
                + " "
                + p50Ns
                + " "
                + p99Ns;
    }
}
