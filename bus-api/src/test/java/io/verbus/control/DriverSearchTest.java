// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.CncSpec;
import io.verbus.directory.DirectoryTrust;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a search for a driver reports while it waits. */
@Timeout(60)
class DriverSearchTest {
    private static final long MS = 1_000_000;

    @TempDir Path directory;

    /** Monotonic time at which the search started; 0 before. */
    private long start;

    private CncFile cnc;

    /** Creates the driver's file shortly before the search reports, and its heartbeat after. */
    private void play() {
        start = start == 0 ? System.nanoTime() : start;
        long ms = (System.nanoTime() - start) / MS;
        if (cnc == null && ms >= 900) {
            CncSpec spec =
                    new CncSpec(
                            1,
                            System.currentTimeMillis(),
                            ProcessHandle.current().pid(),
                            1_000 * MS,
                            65536,
                            65536,
                            16384,
                            4096,
                            false);
            cnc = CncFile.create(directory.resolve(CncFile.NAME), spec);
            cnc.publish();
        } else if (cnc != null && ms >= 1_300) {
            new ManyToOneRingBuffer(cnc.toDriver())
                    .consumerHeartbeatTime(System.currentTimeMillis());
        }
    }

    @Test
    void doesNotReportDriverThatHasJustStarted() {
        List<String> reported = new ArrayList<>();
        try (DriverSearch search = new DriverSearch(directory, DirectoryTrust.OWN, 30_000 * MS);
                DriverConnection found =
                        search.await(this::play, e -> reported.add(e.getMessage()))) {
            assertTrue(found.hasBeaten());
        } finally {
            cnc.close();
        }
        assertTrue(
                reported.stream().noneMatch(text -> text.contains("heartbeat")),
                reported.toString());
    }
}
