// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs {@code verbus demo archive} and {@code verbus demo cluster} over UDP, with all processes.
 */
class ArchiveAndClusterDemoTest {
    private static final long LIMIT_S = 170;

    @TempDir Path folder;

    private DemoRun demo;

    @AfterEach
    void closeDemo() {
        if (demo != null) {
            demo.close();
        }
    }

    private void start(String... words) throws IOException {
        demo = new DemoRun(folder, LIMIT_S, List.of(words));
    }

    @Tag("slow")
    @Test
    @Timeout(180)
    void mergesLateSubscriberFromRecordingIntoLiveStream() throws Exception {
        start("archive", "--transport=udp", "--messages=50000", "--rate=2000");
        assertEquals(0, demo.exitStatus(), demo.errors());
        String last = demo.output().lines().toList().getLast();
        assertTrue(
                last.matches(
                        "demo ok: archive transport=udp device=127\\.0\\.0\\.1 recorded=\\d+"
                                + " replayed=\\d+ merged=\\d+ lost=0 duplicated=0"),
                last);
        assertTrue(number(last, "replayed") >= 50_000, last);
        assertEquals(number(last, "recorded"), number(last, "replayed") + number(last, "merged"));
        demo.assertNothingIsLeft();
    }

    @Tag("slow")
    @Test
    @Timeout(180)
    void losesNoOrdersWhenClusterLosesItsLeader() throws Exception {
        start("cluster", "--transport=udp", "--orders=20000", "--rate=1000");
        assertEquals(0, demo.exitStatus(), demo.errors());
        String last = demo.output().lines().toList().getLast();
        assertTrue(
                last.matches(
                        "demo ok: cluster transport=udp device=127\\.0\\.0\\.1 orders=(\\d+)"
                                + " acknowledged=\\1 lost=0 duplicated=0 failover_ms=\\d+"
                                + " p50_us=\\d+\\.\\d p99_us=\\d+\\.\\d"),
                last);
        assertTrue(number(last, "orders") >= 20_000, last);
        assertTrue(number(last, "failover_ms") > 0, last);
        demo.assertNothingIsLeft();
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"ARCHIVE", "LATE_SUBSCRIBER"})
    @Timeout(180)
    void failsIfProcessDies(String program) throws Exception {
        start("archive", "--transport=udp", "--messages=20000", "--rate=1000");
        demo.awaitWords("messages verified, live");
        List<ProcessHandle> children = demo.process().children().toList();
        DemoRun.child(children, program).destroyForcibly();
        assertEquals(1, demo.exitStatus(), demo.errors());
        assertTrue(demo.errors().contains("process ended early"), demo.errors());
        assertEquals("", demo.output());
        demo.awaitEnd(children);
        demo.assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "archive --messages=0 | --messages takes a number from 1 to 10000000, not 0",
                "archive --transport=ipc | --transport takes rdma or udp, not ipc",
                "cluster --orders=1 | --orders takes a number from 1000 to 10000000, not 1",
                "cluster --from=1.2.3.4 | --from needs --to",
                "cluster --kills=-1 | --kills takes a number from 0 to 10000, not -1",
                "cluster --fault=fire | --fault takes leader, driver, follower, restart or outage,"
                        + " not fire"
            })
    @Timeout(90)
    void rejectsWrongOptionInOneSentence(String optionAndRemedy) throws Exception {
        String[] words = optionAndRemedy.split(" \\| ");
        start(words[0].split(" "));
        assertEquals(2, demo.exitStatus(), demo.errors());
        assertTrue(demo.errors().contains(words[1]), demo.errors());
    }

    private static long number(String line, String name) {
        for (String word : line.split(" ")) {
            if (word.startsWith(name + "=")) {
                return Long.parseLong(word.substring(name.length() + 1));
            }
        }
        throw new AssertionError(name + " is not in: " + line);
    }
}
