// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

@Timeout(60)
class StepTest {
    @TempDir Path folder;

    private Step shell(String script, Path result, long limitS) {
        return new Step("a step", List.of("sh", "-c", script), result, limitS);
    }

    @Test
    void returnsOutputOfCommand() throws Exception {
        Step.Outcome outcome = shell("echo out; echo err >&2; exit 3", null, 30).run(folder, 30);
        assertEquals(3, outcome.status());
        assertEquals("out\n", outcome.output());
        assertEquals("err\n", outcome.errors());
    }

    @Test
    void returnsFileThatCommandWrites() throws Exception {
        Path result = folder.resolve("result");
        Step.Outcome outcome =
                shell("echo said; echo whole > " + result, result, 30).run(folder, 9);
        assertEquals(0, outcome.status());
        assertEquals("whole\n", outcome.output());
    }

    @Test
    void killsCommandAndChildrenAfterShorterTimeLimit() throws Exception {
        Step.Outcome outcome = shell("sleep 300 & echo $!; wait", null, 30).run(folder, 1);
        assertEquals(Step.TOO_LONG, outcome.status());
        assertTrue(outcome.seconds() < 30, () -> outcome.seconds() + " s");
        long child = Long.parseLong(outcome.output().strip());
        ProcessHandle.of(child).ifPresent(left -> left.onExit().join());
        assertFalse(ProcessHandle.of(child).map(ProcessHandle::isAlive).orElse(false));
    }

    @Test
    void namesMissingCommand() {
        Step step = new Step("a step", List.of("/no/such/program"), null, 30);
        BusException e = assertThrows(BusException.class, () -> step.run(folder, 30));
        assertTrue(e.getMessage().startsWith("cannot run /no/such/program: "), e.getMessage());
    }
}
