// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.Examination;
import io.verbus.transport.Finding;
import io.verbus.transport.Finding.Level;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;

class UdpExaminationTest {
    private static final String SNMP =
            """
            Icmp: InMsgs
            Icmp: 1
            Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
            Udp: 10 1 2 20 %d 0
            UdpLite: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
            UdpLite: 0 0 0 0 77 0
            """;

    @TempDir Path root;

    private void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private List<Finding> examine(Map<String, String> options, String... media)
            throws InterruptedException {
        return new UdpExamination(root)
                .examine(
                        new Examination.Scope(Set.of(media), options::getOrDefault, Duration.ZERO));
    }

    private void check(Map<String, String> options, Level level, String text, String remedy)
            throws InterruptedException {
        List<Finding> findings = examine(options, "udp");
        assertTrue(
                findings.stream()
                        .anyMatch(
                                finding ->
                                        finding.level() == level
                                                && finding.text().contains(text)
                                                && finding.remedy().contains(remedy)),
                text + " in " + findings);
    }

    @Test
    void comparesKernelLimitsWithOptions() throws IOException, InterruptedException {
        write("proc/sys/net/core/rmem_max", "212992\n");
        write("proc/sys/net/core/wmem_max", "4194304\n");
        write("proc/net/snmp", SNMP.formatted(5));
        check(
                Map.of(),
                Level.WARNING,
                "net.core.rmem_max is 212,992 bytes, and udp.receive-buffer requests 2,097,152"
                        + " bytes: the kernel limits the buffer, and bursts are lost",
                "run `sysctl -w net.core.rmem_max=2097152`");
        check(
                Map.of(),
                Level.OK,
                "net.core.wmem_max is 4,194,304 bytes, and udp.send-buffer requests 2,097,152",
                "");
        Map<String, String> other = Map.of("udp.receive-buffer", "200k", "udp.send-buffer", "8m");
        check(other, Level.OK, "net.core.rmem_max is 212,992 bytes", "");
        check(other, Level.WARNING, "net.core.wmem_max is 4,194,304", "net.core.wmem_max=8388608");
        check(Map.of(), Level.OK, "5 datagrams were dropped earlier", "");
    }

    @Test
    void reportsUnreadableFiles() throws InterruptedException {
        check(Map.of(), Level.WARNING, "net.core.rmem_max cannot be read", "on the host");
        check(Map.of(), Level.WARNING, "UDP counters cannot be read", "nstat");
    }

    @Test
    void reportsDropsBetweenSamples() throws Exception {
        write("proc/net/snmp", SNMP.formatted(5));
        Thread reader = Thread.currentThread();
        // The second sample is taken after the pause, which this thread ends once it has begun.
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (reader.getState() != Thread.State.TIMED_WAITING) {
                                        Thread.onSpinWait();
                                    }
                                    try {
                                        write("proc/net/snmp", SNMP.formatted(9));
                                    } catch (IOException e) {
                                        throw new AssertionError(e);
                                    }
                                });
        List<Finding> findings =
                new UdpExamination(root)
                        .examine(
                                new Examination.Scope(
                                        Set.of("udp"),
                                        (name, preset) -> preset,
                                        Duration.ofSeconds(2)));
        writer.join();
        assertTrue(
                findings.stream()
                        .anyMatch(
                                finding ->
                                        finding.level() == Level.WARNING
                                                && finding.text()
                                                        .contains("dropped 4 received datagrams")),
                findings.toString());
    }

    @Test
    void skipsOtherMedia() throws InterruptedException {
        assertEquals(List.of(), examine(Map.of(), "rdma", "ipc"));
    }

    @Test
    void isFoundByServiceLoader() {
        assertTrue(
                ServiceLoader.load(Examination.class).stream()
                        .anyMatch(each -> each.type() == UdpExamination.class));
    }
}
