// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.perf.process.Link;

import java.util.concurrent.TimeUnit;

/**
 * Listening end of a perftest program. It reports that it is listening, and ends when the other end
 * does.
 */
final class PerftestLink implements Link {
    private final Process process;
    private final long timeoutS;
    private boolean isReady;

    /**
     * @param process listening process.
     * @param timeoutS seconds to wait for the process to end.
     */
    PerftestLink(Process process, long timeoutS) {
        this.process = process;
        this.timeoutS = timeoutS;
    }

    @Override
    public String readLine() {
        if (!isReady) {
            isReady = true;
            return PerfServer.READY;
        }
        try {
            if (!process.waitFor(timeoutS, TimeUnit.SECONDS)) {
                throw new BusException("perftest's program did not end within " + timeoutS + " s");
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new BusException("interrupted while perftest's program ran", ex);
        }
        return null;
    }

    @Override
    public String ending() {
        return "ended with status " + process.onExit().join().exitValue();
    }

    @Override
    public void end() {
        process.destroyForcibly();
    }
}
