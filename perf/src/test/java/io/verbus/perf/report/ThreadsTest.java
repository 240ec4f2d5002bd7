// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadsTest {
    @ParameterizedTest
    @CsvSource({
        "IPC, 1, ROUND_TRIPS, SHARED, BUSY_SPIN, BACKOFF, 3, 2",
        "IPC, 1, ROUND_TRIPS, SHARED, BUSY_SPIN, YIELD, 3, 3",
        "IPC, 1, STREAM, DEDICATED, BUSY_SPIN, BACKOFF, 6, 3",
        "UDP, 2, ROUND_TRIPS, INVOKER, BUSY_SPIN, BACKOFF, 2, 2",
        "UDP, 2, ROUND_TRIPS, SHARED_NETWORK, BACKOFF, BACKOFF, 6, 4",
        "UDP, 2, ROUND_TRIPS, DEDICATED, BACKOFF, BUSY_SPIN, 8, 8",
        "UDP, 2, ROUND_TRIPS, DEDICATED, SLEEP, SLEEP, 8, 0",
        "UDP, 2, RECORDINGS, SHARED, BACKOFF, BACKOFF, 4, 4",
        "UDP, 4, ROUND_TRIPS, SHARED, BACKOFF, BACKOFF, 14, 14"
    })
    void countsThreadsOfDriversServicesAndEnds(
            Work.Wire wire,
            int processes,
            Load.Kind kind,
            Work.Threading threading,
            Work.Idle idle,
            Work.Idle driverIdle,
            int all,
            int busy) {
        Load load =
                switch (kind) {
                    case ROUND_TRIPS -> Load.roundTrips(Load.MAX, 1);
                    case STREAM -> Load.stream(1, 2, 1);
                    case RECORDINGS -> Load.recordings();
                };
        assertEquals(
                new Threads(all, busy),
                Threads.of(SampleReports.work(wire, processes, load, threading, idle, driverIdle)));
    }
}
