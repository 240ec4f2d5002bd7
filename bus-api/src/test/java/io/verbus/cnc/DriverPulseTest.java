// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.DriverPulse.State;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

class DriverPulseTest {
    private static final long TIMEOUT_NS = 1_000;

    /** Larger than any Linux process id. */
    private static final long NO_PID = 1L << 30;

    @TempDir Path directory;

    private Path file;
    private CncFile cnc;
    private ManyToOneRingBuffer commands;

    private DriverPulse pulse(long pid) {
        file = directory.resolve(CncFile.NAME);
        cnc = CncFile.create(file, new CncSpec(1, 2, pid, 1, 4096, 4096, 4096, 4096, false));
        commands = new ManyToOneRingBuffer(cnc.toDriver());
        commands.consumerHeartbeatTime(System.currentTimeMillis());
        return new DriverPulse(file, cnc, TIMEOUT_NS, 0);
    }

    @AfterEach
    void close() {
        cnc.close();
    }

    @Test
    void reportsAliveWhileHeartbeatChangesRegardlessOfItsTime() {
        DriverPulse pulse = pulse(NO_PID);
        assertFalse(pulse.hasBeaten());
        long[] times = {1, System.currentTimeMillis() + 3_600_000, 7, 0, Long.MAX_VALUE, 5};
        for (int i = 0; i < times.length; i++) {
            commands.consumerHeartbeatTime(times[i]);
            assertEquals(State.ALIVE, pulse.state((i + 1) * TIMEOUT_NS));
            assertTrue(pulse.hasBeaten());
        }
    }

    @Test
    void reportsStallDespiteHeartbeatInFuture() {
        DriverPulse pulse = pulse(NO_PID);
        commands.consumerHeartbeatTime(System.currentTimeMillis() + 3_600_000);
        assertEquals(State.ALIVE, pulse.state(10));
        assertEquals(State.ALIVE, pulse.state(TIMEOUT_NS / 2));
        assertEquals(State.ALIVE, pulse.state(TIMEOUT_NS + 10));
        assertEquals(State.GONE, pulse.state(TIMEOUT_NS + 11));
    }

    @Test
    void restartsTimeoutAfterWatcherPause() {
        DriverPulse pulse = pulse(ProcessHandle.current().pid());
        assertEquals(State.ALIVE, pulse.state(TIMEOUT_NS - 1));
        assertEquals(State.ALIVE, pulse.state(3 * TIMEOUT_NS));
        assertEquals(State.ALIVE, pulse.state(4 * TIMEOUT_NS));
        assertEquals(State.STALLED, pulse.state(4 * TIMEOUT_NS + 1));
        commands.consumerHeartbeatTime(1);
        assertEquals(State.ALIVE, pulse.state(4 * TIMEOUT_NS + 2));
    }

    @Test
    void distinguishesStalledGoneAndClosedDrivers() throws IOException {
        Set<String> sentences = new HashSet<>();
        DriverPulse stalled = pulse(ProcessHandle.current().pid());
        assertNull(stalled.failure(TIMEOUT_NS));
        sentences.add(expect(stalled, "has stalled", "is stopped"));
        assertEquals(State.STALLED, stalled.state(TIMEOUT_NS + 1));

        Files.delete(file);
        sentences.add(expect(stalled, "is gone", "deleted"));
        assertEquals(State.GONE, stalled.state(TIMEOUT_NS + 1));

        commands.consumerHeartbeatTime(DriverPulse.CLOSED_HEARTBEAT);
        sentences.add(expect(stalled, "has been shut down", "start a media driver"));
        assertEquals(State.CLOSED, stalled.state(TIMEOUT_NS + 1));

        cnc.close();
        DriverPulse gone = pulse(NO_PID);
        assertNull(gone.failure(TIMEOUT_NS));
        sentences.add(expect(gone, "is gone", "its process no longer exists"));
        assertEquals(4, sentences.size());
    }

    @Test
    void distinguishesStartingFromStalledDriver() {
        DriverPulse starting = pulse(ProcessHandle.current().pid());
        String silence = starting.silence(29_000_000);
        assertTrue(silence.contains("has shown no heartbeat yet"), silence);
        assertFalse(silence.contains("stalled"), silence);
    }

    @Test
    void measuresSilenceFromHeartbeatTimeIfPlausible() {
        DriverPulse stopped = pulse(ProcessHandle.current().pid());
        commands.consumerHeartbeatTime(System.currentTimeMillis() - 3_600_000);
        assertEquals(State.ALIVE, stopped.state(1));
        String silence = stopped.silence(TIMEOUT_NS);
        assertTrue(silence.matches(".* no heartbeat has arrived for 36[0-9]{5} ms; .*"), silence);
        assertTrue(silence.contains("has stalled"), silence);
        commands.consumerHeartbeatTime(System.currentTimeMillis() + 3_600_000);
        assertEquals(State.ALIVE, stopped.state(2));
        assertTrue(stopped.silence(5_000_000_002L).contains("for 5000 ms"), "clock was set");
    }

    private String expect(DriverPulse pulse, String... words) {
        String failure = pulse.failure(TIMEOUT_NS + 1);
        for (String word : words) {
            assertTrue(failure.contains(word), failure);
        }
        assertTrue(failure.contains(directory.toString()), failure);
        assertTrue(failure.contains("(pid "), failure);
        return failure;
    }
}
