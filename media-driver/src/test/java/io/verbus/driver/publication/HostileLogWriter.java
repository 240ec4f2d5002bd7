// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Random;

/** Writes random data into a log: tails, count of terms, other metadata, and frames. */
final class HostileLogWriter {
    private final Random random;
    private final LogBuffers log;
    private final UnsafeBuffer metadata;
    private final int termLength;

    HostileLogWriter(Random random, LogBuffers log) {
        this.random = random;
        this.log = log;
        metadata = log.metadata();
        termLength = log.spec().termLength();
    }

    /** Corrupts one item. */
    void write() {
        switch (random.nextInt(8)) {
            case 0 -> metadata.putLongRelease(8 * random.nextInt(3), tail());
            case 1 -> metadata.putIntRelease(LogLayout.ACTIVE_TERM_COUNT, number());
            case 2 -> { // both, so that they are consistent
                int count = random.nextInt(6);
                int termId = log.spec().initialTermId() + count;
                metadata.putLongRelease(
                        8 * (count % 3), (long) termId << 32 | random.nextInt(2 * termLength));
                metadata.putIntRelease(LogLayout.ACTIVE_TERM_COUNT, count);
            }
            case 3 -> metadata.putInt(4 * random.nextInt(512 / 4), number());
            case 4 -> metadata.putLongRelease(LogLayout.UNBLOCKED, random.nextLong());
            case 5 -> metadata.putInt(LogLayout.ZEROES_AHEAD, random.nextInt(3));
            default -> frames();
        }
    }

    private long tail() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong();
            case 1 -> -1L;
            case 2 -> (long) log.spec().initialTermId() << 32 | random.nextInt();
            default ->
                    (long) (log.spec().initialTermId() + random.nextInt(8) - 4) << 32
                            | random.nextInt(2 * termLength);
        };
    }

    private int number() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt();
            case 1 -> random.nextInt(9) - 4;
            case 2 -> Integer.MAX_VALUE - random.nextInt(3);
            default -> Integer.MIN_VALUE + random.nextInt(3);
        };
    }

    /** A run of frames at a random place: valid ones, ones with an invalid header, any length. */
    private void frames() {
        UnsafeBuffer term = log.term(random.nextInt(LogLayout.PARTITIONS));
        int at = random.nextBoolean() ? 0 : 32 * random.nextInt(termLength / 32);
        boolean isWhole = random.nextBoolean();
        for (int i = random.nextInt(40); i >= 0 && at < termLength; i--) {
            int most = Math.min(termLength - at, 1408);
            int length = isWhole ? Math.min(most, 32 + random.nextInt(1400)) : length(most);
            for (int word = 8; word < 32; word += 8) {
                if (!isWhole) {
                    term.putLong(at + word, random.nextLong());
                }
            }
            int type = random.nextInt(8) == 0 ? random.nextInt(4) : FrameHeader.TYPE_DATA;
            int flags = isWhole ? 0xC0 : random.nextInt(256);
            term.putLongRelease(at, FrameHeader.word(length, flags, type));
            at += Math.max(32, Math.min(FrameHeader.align(Math.max(length, 0)), termLength));
        }
    }

    private int length(int most) {
        return switch (random.nextInt(5)) {
            case 0 -> random.nextInt();
            case 1 -> random.nextInt(40);
            case 2 -> -random.nextInt(2 * most);
            case 3 -> most + random.nextInt(64);
            default -> Integer.MAX_VALUE - random.nextInt(64);
        };
    }
}
