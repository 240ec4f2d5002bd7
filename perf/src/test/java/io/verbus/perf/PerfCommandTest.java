// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.tools.Verbus;
import io.verbus.perf.run.Contender;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

class PerfCommandTest {
    private final StringWriter said = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    rtt --burst 5 | --burst needs a --rate
                    rtt --rate fast | --rate takes messages per second, such as
                    rtt --rate 5G | not '5G'
                    rtt --rate 0 | --rate takes a number from 1
                    rtt --rate 200M | --rate takes a number from 1
                    rtt --rate 1K,2K,3K --length 32,64 | one for each --length, or several for one --length
                    rtt --rate 1K,2K --hgrm x | --hgrm writes one distribution: give it one --rate
                    rtt --rate 1K,max | --rate takes max only alone, not in a list such as '1K,max'
                    rtt --rate field,1K | --rate takes field only alone
                    rtt --json /nowhere/a.json | cannot write --json /nowhere/a.json
                    rtt --html /proc/a.html | cannot write --html /proc/a.html
                    rtt --hgrm / | cannot write --hgrm /
                    rtt --hlog /nowhere/a | cannot write --hlog /nowhere/a
                    throughput --json target/same --html ./target/same | --json and --html name the same file
                    rtt --json target/same --hlog target/../target/same | --json and --hlog name the same file
                    warmup --json /nowhere/a.json | cannot write --json /nowhere/a.json
                    pauses --html /nowhere/a.html | cannot write --html /nowhere/a.html
                    syscalls --transport udp --json /nowhere/a | cannot write --json /nowhere/a
                    archive --transport udp --json /nowhere/a | cannot write --json /nowhere/a
                    archive --json /nowhere/a | cannot write --json /nowhere/a
                    cluster --transport udp --json /nowhere/a | cannot write --json /nowhere/a
                    jmh --json /nowhere/a x | cannot write --json /nowhere/a
                    jmh [ | '[' is not a regular expression (Unclosed character class)
                    jmh NoSuchBenchmark | no benchmark matches 'NoSuchBenchmark'
                    compare --metric throughput --rate 1K | --metric throughput measures no round trips: omit --rate
                    compare --metric throughput --transport rdma --warmup 5 | measures no round trips: omit --warmup
                    compare --metric rtt --publishers 2 | --metric rtt measures no streams: omit --publishers
                    compare --metric rtt --stream-messages 2 | --metric rtt measures no streams: omit --stream-messages
                    compare --transport udp --peer floor --batch 2 | --peer floor over udp measures no streams: omit --batch
                    pauses --coming-and-going 65536 --rate 5 | --coming-and-going measures no round trips: omit --rate
                    pauses --coming-and-going 65536 --json x | --coming-and-going measures no round trips: omit --json
                    rtt --rate field --length 64 | --rate field is defined for the lengths [32, 288, 1344]
                    rtt --rate field --hgrm x | --hgrm writes one distribution
                    rtt --scale | --scale needs a --rate
                    rtt --rate 1K --scale 101 | --scale takes a number from 1 to 100
                    rtt --length 32,288 --hgrm x | --hgrm writes one distribution
                    rtt --affinity 0,4095 | --affinity names CPU 4095, which this process may not use
                    compare --peer verbus --driver-option no-such=1 | --driver-option no-such is not a driver setting
                    compare --peer verbus --driver-option mtu=x | --driver-option mtu
                    rtt --affinity one | --affinity takes CPU numbers
                    throughput --transport udp --publishers 2 | choose --threading shared
                    throughput --subscribers 0 | --subscribers takes a number from 1
                    compare --pairs 0 | --pairs takes a number from 1
                    compare --transport udp --peer floor --metric throughput | does not support --metric throughput
                    compare --peer ib_write_lat | does not support --transport ipc
                    compare --rate 1K,2K --length 32,64 | --length takes one number here
                    compare --html | Missing required parameter for option '--html'
                    diff | Missing required parameters: 'FIRST', 'SECOND'
                    diff /nowhere/a.json /nowhere/b.json | cannot read /nowhere/a.json
                    diff /proc/version /proc/version | /proc/version is not JSON
                    compare --rate field | --length takes one number here
                    compare --peer floor --rate 1K | --peer floor over IPC holds only one message at a time: omit --rate
                    compare --peer floor --processes 2 | --peer floor over IPC is measured in one process
                    compare --peer bare_log --publishers 2 | --peer bare_log over IPC supports only one publisher
                    compare --peer bare_log --transport udp | --peer bare_log does not support --transport udp: choose one of [ipc]
                    compare --client aeron --peer floor | --client applies only to a bus, not to --peer floor
                    compare --client aeron --subject verbs | --client applies only to a bus, not to --subject verbs
                    compare --driver-option mtu=1408 --subject verbs | --driver-option applies only to a bus, not to --subject verbs
                    compare --driver-option mtu=1408 --transport udp --server 10.0.0.2:1 | omit --server
                    compare --peer verbs | choose one of aeron, aeron-c, verbus, floor, bare_log, ib_write_lat, ib_write_bw, not 'verbs'
                    compare --peer Aeron --pairs 0 | --pairs takes a number from 1
                    compare --subject verbs | --subject verbs does not support --transport ipc: choose one of [rdma]
                    compare --client other | Invalid value for option '--client'
                    compare --aeronmd /bin/sh | --aeronmd applies only to --peer aeron-c: add --peer aeron-c, or omit --aeronmd
                    compare --peer aeron-c --aeronmd /nowhere/aeronmd | --aeronmd points to /nowhere/aeronmd, which is not an executable file
                    compare --peer aeron-c --drivers embedded | omit --drivers embedded
                    compare --peer aeron-c --aeronmd /bin/sh --threading invoker | --threading invoker needs embedded drivers
                    compare --peer aeron-c --aeronmd /bin/sh --processes 1 | omit --processes or --drivers own
                    rtt --transport udp --processes 1 | --processes 1 works only on IPC
                    rtt --drivers own --processes 1 | --processes 1 embeds the driver
                    rtt --drivers own --threading invoker | omit --drivers own
                    throughput --publishers 2 --publications exclusive | --publications exclusive allows only one sending thread
                    compare --transport udp --peer floor --drivers own | omit --drivers
                    pauses --drivers own | omit --drivers
                    rtt --server 10.0.0.2:1 | which IPC cannot reach: choose --transport rdma or udp
                    rtt --local 127.0.0.1 | --local has no effect over IPC
                    throughput --port 20000 | --port has no effect over IPC
                    compare --remote 127.0.0.1 | --remote has no effect over IPC
                    rtt --transport udp --server 10.0.0.2 | --server: endpoint '10.0.0.2' is invalid
                    rtt --transport udp --server 10.0.0.2:1 --drivers own | omit --drivers
                    syscalls --transport udp --server 10.0.0.2:1 | omit --server
                    pauses --transport udp --server 10.0.0.2:1 | omit --server
                    serve --listen 10.0.0.2:1 | Missing required option: '--for=ADDRESS'
                    serve --listen 192.0.2.1:1 --for 10.0.0.1 | cannot listen at 192.0.2.1:1
                    serve --listen 127.0.0.1:0 --for no.such.host.invalid | is not a host address
                    rtt --processes 3 | --processes takes a number from 1 to 2
                    warmup --processes 2 | warmup starts one process
                    pauses --processes 2 | omit --processes
                    warmup --server 10.0.0.2:1 | warmup is measured on one host: omit --server
                    warmup --length 32,64 | --length takes one number
                    warmup --transport udp | omit --transport
                    warmup --warm-up 0 | --warm-up takes a number from 1
                    pauses --minutes 0 | --minutes takes a number
                    cluster --transport ipc | --transport takes rdma or udp, not ipc
                    cluster --transport udp --rate max | --rate takes messages per second, such as
                    cluster --transport udp --rate fast | --rate takes messages per second, such as
                    cluster --transport udp --threading invoker | --threading takes shared
                    cluster --transport udp --length 8 | --length takes a number from 16 to 1344
                    cluster --transport udp --messages 0 | --messages takes a number from 1
                    archive --pairs 0 | --pairs takes a number from 1
                    archive --transport udp --mtu 1000 | --mtu takes a multiple of 32, not 1000
                    archive --transport udp --term-length 1000 | --term-length:
                    archive --transport udp --port 80 | --port takes a number from 1024
                    """)
    void rejectsWrongOptionWithRemedy(String arguments, String remedy) {
        assertNotEquals(0, run(arguments.split(" ")));
        assertTrue(said.toString().contains(remedy), said.toString());
    }

    @Test
    void rejectsMissingMeasurement() {
        assertEquals(CommandLine.ExitCode.USAGE, run());
        assertTrue(said.toString().contains("verbus perf rtt"), said.toString());
    }

    @Test
    void helpDescribesEveryPeer() {
        CommandLine compare = new CommandLine(new PerfCommand()).getSubcommands().get("compare");
        String help = String.join(" ", compare.getCommandSpec().findOption("--peer").description());
        for (Contender contender : Contender.values()) {
            assertTrue(!contender.isPeer() || help.contains(contender.toString()), help);
        }
    }

    @Test
    void helpShowsOnlyOptionsThatCommandTakes() {
        String warmup = help("warmup");
        for (String option : List.of("--transport", "--server", "--local", "--port")) {
            assertFalse(warmup.contains(option + "="), warmup);
            assertFalse(help("pauses").contains(option + "="));
            assertTrue(help("rtt").contains(option + "="));
        }
        assertTrue(help("syscalls").contains("--transport="));
        assertFalse(help("syscalls").contains("--server="));
        for (String command : List.of("warmup", "pauses", "compare")) {
            assertTrue(help(command).contains("--length=BYTES"));
            assertFalse(help(command).contains("--length=BYTES["), help(command));
        }
        assertTrue(help("rtt").contains("--length=BYTES["));
    }

    private static String help(String command) {
        return Verbus.commandLine()
                .getSubcommands()
                .get("perf")
                .getSubcommands()
                .get(command)
                .getUsageMessage(CommandLine.Help.Ansi.OFF);
    }

    private int run(String... arguments) {
        CommandLine line = new CommandLine(new PerfCommand());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setErr(new PrintWriter(said, true));
        line.setExecutionExceptionHandler(
                (ex, command, result) -> {
                    said.append(ex.getMessage());
                    return CommandLine.ExitCode.SOFTWARE;
                });
        return line.execute(arguments);
    }
}
