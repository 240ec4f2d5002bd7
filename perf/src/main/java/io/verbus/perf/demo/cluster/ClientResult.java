// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

/**
 * What the client of the cluster found.
 *
 * @param acknowledged orders.
 * @param duplicated acknowledgements that tell of an order that was applied twice, or out of order.
 * @param failoverNs from the last acknowledgement of a leader to the first of the next, the
 *     longest.
 * @param p50Ns median of the latencies of the other orders.
 * @param p99Ns their 99th percentile.
 */
record ClientResult(long acknowledged, long duplicated, long failoverNs, long p50Ns, long p99Ns) {
    private static final String WORD = "result ";

    /** Whether this line of a process is a result. */
    static boolean isLine(String line) {
        return line.startsWith(WORD);
    }

    /** Reads what {@link #toLine} has written. */
    static ClientResult parse(String line) {
        String[] words = line.split(" ");
        return new ClientResult(
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]));
    }

    /** One line from process to process. */
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
