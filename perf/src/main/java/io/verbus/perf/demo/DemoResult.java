// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.Locale;

/**
 * Result of the subscriber process.
 *
 * @param verified number of messages that arrived intact.
 * @param lost number of messages that did not.
 * @param reordered number of messages that arrived after one with a higher number.
 * @param duplicated number of repeated arrivals.
 * @param corrupt number of arrivals that are not a message of the stream.
 * @param p50Ns median latency of the paced messages in nanoseconds.
 * @param p99Ns 99th percentile of their latency in nanoseconds.
 */
public record DemoResult(
        long verified,
        long lost,
        long reordered,
        long duplicated,
        long corrupt,
        long p50Ns,
        long p99Ns) {
    private static final String WORD = "result";

    /** Returns whether a line of a process's output is a result. */
    public static boolean isLine(String line) {
        return line.startsWith(WORD + " ");
    }

    /** Parses the output of {@link #toLine}. */
    public static DemoResult parse(String line) {
        String[] words = line.split(" ");
        return new DemoResult(
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]),
                Long.parseLong(words[6]),
                Long.parseLong(words[7]));
    }

    /** Encodes the result as one line. */
    public String toLine() {
        return String.join(
                " ",
                WORD,
                Long.toString(verified),
                Long.toString(lost),
                Long.toString(reordered),
                Long.toString(duplicated),
                Long.toString(corrupt),
                Long.toString(p50Ns),
                Long.toString(p99Ns));
    }

    /** Returns whether every message arrived intact, once and in order. */
    boolean isPerfect() {
        return (lost | reordered | duplicated | corrupt) == 0;
    }

    /** Returns the last line of the demo's output. */
    String summary(DemoTransport transport, String device) {
        return String.format(
                Locale.ROOT,
                "demo ok: transport=%s device=%s messages=%d lost=%d reordered=%d corrupt=%d"
                        + " p50_us=%.1f p99_us=%.1f",
                transport.media(),
                device,
                verified,
                lost,
                reordered,
                corrupt,
                p50Ns / 1e3,
                p99Ns / 1e3);
    }
}
