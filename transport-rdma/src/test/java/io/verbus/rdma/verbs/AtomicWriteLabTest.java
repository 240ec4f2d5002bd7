// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.RegisteredMemory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares the commit rule with an oracle: a batch whose first word comes in a Write of its own, as
 * Verbus writes it, must look to its reader like one whose first word comes in an Atomic Write,
 * which a device may neither tear nor reorder before the preceding Write. Skipped where Atomic
 * Write is unavailable, as on rxe of Linux 6.1 and on siw.
 */
@Tag("lab")
@Tag("kernel")
@Tag("slow")
@Timeout(240)
class AtomicWriteLabTest {
    private static final VarHandle WORD = JAVA_LONG.varHandle();
    private static final int BATCHES = 50_000;
    private static final int SLOT = 512;
    private static final int SLOTS = 199;
    private static final int LENGTH = SLOT * (SLOTS + 1);

    /** Number of batches that a reader has seen, and of violations. */
    private record Seen(int batches, int ofAnotherWord, int incomplete) {}

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commitWordArrivesWholeAndLast(boolean isAtomic) throws Exception {
        try (Lab lab = new Lab()) {
            Lab.Pair pair = lab.connectTo(lab.listen());
            assumeTrue(pair.a().path().isRoce(), "the test's queue pairs are RoCE's");
            assumeTrue(WordWriter.isSupported(pair), "the device has no Atomic Write");
            MemorySegment image = lab.map(lab.file(), LENGTH);
            RegisteredMemory target =
                    pair.b().domain().register(image.address(), LENGTH, Access.REMOTE_WRITE);
            RegisteredMemory source = lab.register(pair.a(), 2L * LENGTH, Access.LOCAL_READ);
            try (WordWriter writer = new WordWriter(pair)) {
                AtomicLong consumed = new AtomicLong();
                CompletableFuture<Seen> reader =
                        CompletableFuture.supplyAsync(() -> read(image, consumed));
                write(writer, source, target, consumed, isAtomic);
                assertEquals(new Seen(BATCHES, 0, 0), reader.get(60, TimeUnit.SECONDS));
            }
        }
    }

    /**
     * Each batch ends with the zero of the next one's word, as a batch of a log does. The device
     * may read a batch long after it was posted, so each has its own zero.
     */
    private static void write(
            WordWriter writer,
            RegisteredMemory source,
            RegisteredMemory target,
            AtomicLong consumed,
            boolean isAtomic) {
        for (int batch = 1; batch <= BATCHES; batch++) {
            long wanted = batch - SLOTS + 1;
            Await.until(
                    "room in the image and in the queue",
                    () -> writer.hasRoom() && consumed.get() >= wanted,
                    () -> {});
            long slot = batch % SLOTS;
            long from = source.address() + 2 * slot * SLOT;
            for (int i = 0; i < SLOT; i += 8) {
                Memory.putLong(from + i, value(batch, i));
            }
            writer.post(
                    from,
                    SLOT + 8,
                    source.localKey().value(),
                    target.address() + slot * SLOT,
                    target.remoteKey().value(),
                    isAtomic);
        }
    }

    private static Seen read(MemorySegment image, AtomicLong consumed) {
        int ofAnotherWord = 0;
        int incomplete = 0;
        for (int batch = 1; batch <= BATCHES; batch++) {
            long offset = (long) (batch % SLOTS) * SLOT;
            long before = batch <= SLOTS ? 0 : value(batch - SLOTS, 0);
            long[] word = new long[1];
            Await.until(
                    "word " + batch,
                    () ->
                            (word[0] = (long) WORD.getAcquire(image, offset)) != 0
                                    && word[0] != before,
                    () -> {});
            if (word[0] != value(batch, 0)) {
                ofAnotherWord++;
            }
            for (int i = 8; i < SLOT; i += 8) {
                if (image.get(JAVA_LONG, offset + i) != value(batch, i)) {
                    incomplete++;
                    break;
                }
            }
            consumed.set(batch);
        }
        return new Seen(BATCHES, ofAnotherWord, incomplete);
    }

    /** Differs from the previous value in each byte, so that a torn word is detected. */
    private static long value(int batch, int offset) {
        long ofByte = 1 + (batch + offset / 8) % 255;
        return ofByte * 0x0101_0101_0101_0101L;
    }
}
