// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.Locale;

/**
 * What the subscriber process found.
 *
 * @param verified messages that arrived whole.
 * @param lost messages that did not.
 * @param reordered messages that arrived after one with a greater number.
 * @param duplicated arrivals of messages that had arrived before.
 * @param corrupt arrivals that are no message of the stream.
 * @param p50Ns median of the latencies of the paced messages, nanoseconds.
 * @param p99Ns their 99th percentile.
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

    /** Whether this line of a process is a result. */
    public static boolean isLine(String line) {
        return line.startsWith(WORD + " ");
    }

    /** Reads what {@link #toLine} has written. */
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

    /** One line from process to process. */
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

    /** Whether every message arrived whole, once and in order. */
    boolean isPerfect() {
        return (lost | reordered | duplicated | corrupt) == 0;
    }

    /** The demo's last line. */
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
