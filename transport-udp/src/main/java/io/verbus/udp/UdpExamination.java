// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.transport.Examination;
import io.verbus.transport.Finding;
import io.verbus.transport.Finding.Level;
import io.verbus.transport.ProcFile;
import io.verbus.udp.common.UdpOptions;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Examines this host for UDP: whether sockets get the buffers that the driver requests, and whether
 * the kernel drops datagrams because buffers are full.
 */
public final class UdpExamination implements Examination {
    private static final String AREA = "udp sockets";
    private static final String CORE = "proc/sys/net/core";
    private static final String COUNTERS = "proc/net/snmp";
    private static final String ROW = "Udp:";

    private final Path root;

    /** Creates an examination of the host of this process. */
    public UdpExamination() {
        this(Path.of("/"));
    }

    /**
     * @param root root directory of the host.
     */
    UdpExamination(Path root) {
        this.root = root;
    }

    @Override
    public List<Finding> examine(Scope scope) throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        if (scope.isFor("udp")) {
            UdpOptions options = UdpOptions.of(scope.settings());
            examineBuffer("rmem_max", "receive", options.receiveBuffer(), findings);
            examineBuffer("wmem_max", "send", options.sendBuffer(), findings);
            examineDrops(scope, findings);
        }
        return findings;
    }

    private void examineBuffer(String name, String side, int asked, List<Finding> findings) {
        long limit = number(read(CORE + "/" + name));
        String text = "and udp." + side + "-buffer requests %,d bytes".formatted(asked);
        String setting = "net.core." + name + "=" + asked;
        String remedy =
                "run `sysctl -w "
                        + setting
                        + "`, and add `"
                        + setting
                        + "` to a file in /etc/sysctl.d to keep it after a reboot";
        if (limit < 0) {
            findings.add(
                    new Finding(
                            Level.WARNING,
                            AREA,
                            "net.core."
                                    + name
                                    + " cannot be read, as is usual in containers, "
                                    + text,
                            "check `sysctl net.core." + name + "` on the host; " + remedy));
        } else if (limit < asked) {
            findings.add(
                    new Finding(
                            Level.WARNING,
                            AREA,
                            "net.core."
                                    + name
                                    + " is %,d bytes, ".formatted(limit)
                                    + text
                                    + ": the kernel limits the buffer, and bursts "
                                    + (side.equals("send") ? "wait" : "are lost"),
                            remedy));
        } else {
            findings.add(
                    new Finding(
                            Level.OK,
                            AREA,
                            "net.core." + name + " is %,d bytes, ".formatted(limit) + text,
                            ""));
        }
    }

    private void examineDrops(Scope scope, List<Finding> findings) throws InterruptedException {
        long before = dropped();
        Thread.sleep(scope.interval());
        long after = dropped();
        if (before < 0 || after < 0) {
            findings.add(
                    new Finding(
                            Level.WARNING,
                            AREA,
                            "the kernel's UDP counters cannot be read",
                            "check `nstat -az UdpRcvbufErrors` on the host"));
            return;
        }
        String within = " within %,d ms".formatted(scope.interval().toMillis());
        if (after > before) {
            findings.add(
                    new Finding(
                            Level.WARNING,
                            AREA,
                            "the kernel dropped %,d received datagrams".formatted(after - before)
                                    + within
                                    + " because a socket's receive buffer was full",
                            "raise udp.receive-buffer and net.core.rmem_max, or give the driver's"
                                    + " receiver a CPU of its own (receiver.cpu)"));
        } else {
            findings.add(
                    new Finding(
                            Level.OK,
                            AREA,
                            "no receive buffer was full"
                                    + within
                                    + "; %,d datagrams were dropped earlier".formatted(before),
                            ""));
        }
    }

    /** Returns the number of datagrams dropped by full receive buffers; -1 if unknown. */
    private long dropped() {
        String[] names = {};
        for (String line : read(COUNTERS).split("\n")) {
            String[] words = line.split(" ");
            if (!words[0].equals(ROW)) {
                continue;
            }
            int column = List.of(names).indexOf("RcvbufErrors");
            if (column > 0 && column < words.length) {
                return number(words[column]);
            }
            names = words;
        }
        return -1;
    }

    private String read(String path) {
        try {
            return ProcFile.read(root.resolve(path));
        } catch (IOException unknown) {
            return "";
        }
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException unknown) {
            return -1;
        }
    }
}
