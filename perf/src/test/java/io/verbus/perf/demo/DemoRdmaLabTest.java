// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.List;

/** Runs {@code verbus demo} over RDMA. */
@Tag("lab")
@Tag("kernel")
class DemoRdmaLabTest {
    private static final long LIMIT_S = 280;

    @TempDir Path folder;

    @Test
    @Timeout(300)
    void carriesMessagesOverRdmaBetweenTwoDrivers() throws Exception {
        carriesMessages(DemoClient.VERBUS);
    }

    @Test
    @Timeout(300)
    @Tag("soak")
    void carriesMessagesOfAeronsClient() throws Exception {
        carriesMessages(DemoClient.AERON);
    }

    private void carriesMessages(DemoClient client) throws Exception {
        try (DemoRun demo =
                new DemoRun(
                        folder,
                        LIMIT_S,
                        List.of("--client=" + client, "--messages=5000", "--rate=1000"))) {
            assertEquals(0, demo.exitStatus(), demo.errors());
            String last = demo.output().lines().toList().getLast();
            assertTrue(last.startsWith("demo ok: transport=rdma device="), last);
            assertTrue(last.contains(" messages=5000 lost=0 reordered=0 corrupt=0 p50_us="), last);
            assertTrue(demo.errors().contains(client.scheme() + ":rdma?endpoint="), demo.errors());
            demo.assertNothingIsLeft();
        }
    }

    @ParameterizedTest
    @EnumSource(DemoClient.class)
    @Timeout(300)
    @Tag("soak")
    void failsIfSubscriberDies(DemoClient client) throws Exception {
        try (DemoRun demo =
                new DemoRun(
                        folder,
                        LIMIT_S,
                        List.of("--client=" + client, "--messages=100000000", "--rate=1000"))) {
            List<ProcessHandle> children = demo.awaitProgress(4);
            DemoRun.child(children, "SUBSCRIBER").destroyForcibly();
            assertEquals(1, demo.exitStatus(), demo.errors());
            assertTrue(
                    demo.errors().contains("demo failed: the subscriber process ended early"),
                    demo.errors());
            assertEquals("", demo.output());
            demo.awaitEnd(children);
            demo.assertNothingIsLeft();
        }
    }
}
