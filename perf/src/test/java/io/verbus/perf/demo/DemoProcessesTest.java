// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.perf.demo.aeron.AeronClient;
import io.verbus.perf.process.ChildMain;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs {@code verbus demo} without RDMA in its real processes. */
class DemoProcessesTest {
    private static final long LIMIT_S = 80;

    @TempDir Path folder;

    private DemoRun demo;

    @AfterEach
    void closeDemo() {
        if (demo != null) {
            demo.close();
        }
    }

    @ParameterizedTest
    @EnumSource(DemoClient.class)
    @Timeout(90)
    void verifiesEveryMessageAndPrintsSummary(DemoClient client) throws Exception {
        start("--transport=ipc", "--client=" + client, "--messages=20000", "--rate=4000");
        assertEquals(0, demo.exitStatus(), demo.errors());
        String last = demo.output().lines().toList().getLast();
        assertTrue(
                last.matches(
                        "demo ok: transport=ipc device=shared-memory messages=20000 lost=0"
                                + " reordered=0 corrupt=0 p50_us=\\d+\\.\\d p99_us=\\d+\\.\\d"),
                last);
        assertTrue(demo.errors().contains("20,000 of 20,000 messages verified"), demo.errors());
        demo.assertNothingIsLeft();
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(DemoClient.class)
    @Timeout(90)
    void carriesMessagesBetweenTwoDriversOverUdp(DemoClient client) throws Exception {
        start("--transport=udp", "--client=" + client, "--messages=20000", "--rate=4000");
        assertEquals(0, demo.exitStatus(), demo.errors());
        String last = demo.output().lines().toList().getLast();
        assertTrue(
                last.startsWith(
                        "demo ok: transport=udp device=127.0.0.1 messages=20000 lost=0"
                                + " reordered=0 corrupt=0 p50_us="),
                last);
        assertTrue(demo.errors().contains(client.scheme() + ":udp?endpoint="), demo.errors());
        demo.assertNothingIsLeft();
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(DemoClient.class)
    @Timeout(90)
    void failsIfProcessDies(DemoClient client) throws Exception {
        start("--transport=ipc", "--client=" + client, "--messages=100000000");
        List<ProcessHandle> children = demo.awaitProgress(3);
        DemoRun.child(children, "SUBSCRIBER").destroyForcibly();
        assertEquals(1, demo.exitStatus(), demo.errors());
        assertTrue(
                demo.errors().contains("demo failed: the subscriber process ended early"),
                demo.errors());
        assertEquals("", demo.output());
        demo.awaitEnd(children);
        demo.assertNothingIsLeft();
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(DemoClient.class)
    @Timeout(90)
    void failsIfDriverDies(DemoClient client) throws Exception {
        start("--transport=ipc", "--client=" + client, "--messages=100000000");
        List<ProcessHandle> children = demo.awaitProgress(3);
        DemoRun.child(children, "DRIVER").destroyForcibly();
        assertEquals(1, demo.exitStatus(), demo.errors());
        assertTrue(
                demo.errors().contains("demo failed: the driver 1 process ended early"),
                demo.errors());
        assertEquals("", demo.output());
        demo.awaitEnd(children);
        demo.assertNothingIsLeft();
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(DemoClient.class)
    @Timeout(90)
    void leavesNothingBehindWhenTerminated(DemoClient client) throws Exception {
        start("--transport=ipc", "--client=" + client, "--messages=100000000");
        List<ProcessHandle> children = demo.awaitProgress(3);
        demo.process().destroy();
        demo.exitStatus();
        demo.awaitEnd(children);
        demo.assertNothingIsLeft();
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(DemoClient.class)
    @Timeout(90)
    void leavesNothingBehindWhenKilled(DemoClient client) throws Exception {
        start("--transport=ipc", "--client=" + client, "--messages=100000000");
        List<ProcessHandle> children = demo.awaitProgress(3);
        demo.process().destroyForcibly();
        demo.awaitEnd(children);
        demo.assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--messages=0 | --messages takes a number from 1 to 100000000, not 0",
                "--client=other | --client takes verbus or aeron, not other",
                "--transport=tcp | --transport takes rdma, udp or ipc, not tcp"
            })
    @Timeout(90)
    void rejectsWrongOptionInOneSentence(String optionAndRemedy) throws Exception {
        String[] words = optionAndRemedy.split(" \\| ");
        start(words[0]);
        assertEquals(2, demo.exitStatus(), demo.errors());
        assertTrue(demo.errors().contains(words[1]), demo.errors());
    }

    @Test
    @Timeout(90)
    void explainsRemedyWhenAeronJarsAreMissing() throws Exception {
        Path absent = folder.resolve("absent");
        demo = new DemoRun(folder, LIMIT_S, absent, List.of("--transport=ipc", "--client=aeron"));
        assertEquals(1, demo.exitStatus(), demo.errors());
        assertTrue(
                demo.errors()
                        .contains(
                                "demo failed: Aeron's jars are not in "
                                        + absent
                                        + ": run `./verbus build`"),
                demo.errors());
        demo.assertNothingIsLeft();
    }

    @Test
    void processesOfAeronClientCannotLoadVerbusClient() throws Exception {
        List<URL> places = new ArrayList<>();
        for (String word :
                DemoClient.AERON
                        .process(DemoProgram.PUBLISHER)
                        .classPath()
                        .split(File.pathSeparator)) {
            if (word.endsWith("*")) {
                try (var jars = Files.list(Path.of(word).getParent())) {
                    for (Path jar : jars.toList()) {
                        places.add(jar.toUri().toURL());
                    }
                }
            } else {
                places.add(Path.of(word).toUri().toURL());
            }
        }
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        try (URLClassLoader loader = new URLClassLoader(places.toArray(URL[]::new), platform)) {
            assertFalse(isThere(loader, Bus.class.getName()));
            assertFalse(isThere(loader, "io.verbus.driver.MediaDriver"));
            assertTrue(isThere(loader, "io.aeron.Aeron"));
            assertTrue(isThere(loader, ChildMain.class.getName()));
            assertTrue(isThere(loader, AeronClient.class.getName()));
        }
    }

    private static boolean isThere(ClassLoader loader, String name) {
        return loader.getResource(name.replace('.', '/') + ".class") != null;
    }

    private void start(String... options) throws IOException {
        demo = new DemoRun(folder, LIMIT_S, List.of(options));
    }
}
