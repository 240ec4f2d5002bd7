// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Starts processes that run the constants of {@link Program}. */
@Timeout(120)
class ChildProcessTest {
    private static final int STEPS_LIMIT_S = 60;

    private enum Program implements ChildProgram {
        /** Prints its arguments, and a line for each step. */
        STEPS {
            @Override
            public void run(String[] args) throws InterruptedException {
                ParentLink parent = ParentLink.open();
                System.out.println(String.join(",", args));
                while (parent.awaitGo(STEPS_LIMIT_S, TimeUnit.SECONDS)) {
                    System.out.println("step");
                }
            }
        },

        /** Fails with an error for the user. */
        FAILS {
            @Override
            public void run(String[] args) {
                throw new BusException("the cause: the remedy");
            }
        },

        /** Fails because of a defect. */
        IS_DEFECTIVE {
            @Override
            public void run(String[] args) {
                throw new UnsupportedOperationException(args[0]);
            }
        }
    }

    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final AtomicInteger cleanUps = new AtomicInteger();
    private ChildProcess child;

    private void start(Program program, String... arguments) {
        List<String> command = JavaProgram.own(program).command(List.of(arguments));
        child = new ChildProcess("test", command, errors::add, cleanUps::incrementAndGet);
    }

    @AfterEach
    void end() {
        if (child != null) {
            child.end();
        }
    }

    @Test
    void exchangesLinesUntilInputEnds() throws IOException {
        start(Program.STEPS, "a", "b c");
        assertEquals("a,b c", child.readLine());
        child.go();
        assertEquals("step", child.readLine());
        child.askToEnd();
        assertNull(child.readLine());
        assertEquals("ended with status 0", child.ending());
        assertEquals(0, cleanUps.get());
        child.end();
        assertEquals(1, cleanUps.get());
    }

    @Test
    void forwardsErrorOutputBeforeReportingExit() throws IOException {
        start(Program.FAILS);
        assertNull(child.readLine());
        assertEquals("ended with status 1", child.ending());
        assertEquals(List.of("the cause: the remedy"), errors);
    }

    @Test
    void waitsForStandardErrorForLimitedTime() throws IOException {
        CountDownLatch released = new CountDownLatch(1);
        List<String> command = JavaProgram.own(Program.FAILS).command(List.of());
        child = new ChildProcess("test", command, line -> await(released), () -> {});
        assertNull(child.readLine());
        long startNs = System.nanoTime();
        assertEquals("ended with status 1", child.ending());
        long waitedNs = System.nanoTime() - startNs;
        released.countDown();
        assertTrue(waitedNs >= TimeUnit.MILLISECONDS.toNanos(900), waitedNs + " ns");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void printsStackTraceOfDefect() throws IOException {
        start(Program.IS_DEFECTIVE, "unexpected");
        assertNull(child.readLine());
        assertEquals("ended with status 1", child.ending());
        assertEquals("unexpected", errors.getFirst());
        assertTrue(
                errors.stream().anyMatch(line -> line.contains("\tat " + Program.class.getName())),
                errors.toString());
    }

    @Test
    void returnsLinesPrintedBeforeKill() throws IOException {
        start(Program.STEPS, "a");
        assertEquals("a", child.readLine());
        child.kill();
        assertNull(child.readLine());
        assertEquals("ended with status 137 (signal 9)", child.ending());
    }

    @Test
    void namesProcessThatCannotBeStarted() {
        BusException failure =
                assertThrows(
                        BusException.class,
                        () ->
                                new ChildProcess(
                                        "test", List.of("/nowhere/x"), errors::add, () -> {}));
        assertTrue(
                failure.getMessage().startsWith("cannot start the test process ("),
                failure.getMessage());
    }

    @Test
    void reportsLinesAndEndsOfSeveralProcessesAsEvents() throws InterruptedException {
        AtomicInteger ended = new AtomicInteger();
        ChildProcesses children = new ChildProcesses(ended::incrementAndGet);
        try {
            BlockingQueue<ChildEvent> events = children.events();
            ChildProcess first =
                    children.start("first", JavaProgram.own(Program.STEPS), List.of("1"));
            assertEquals(new ChildEvent.Said(first, "1"), events.take());
            ChildProcess second =
                    children.start("second", JavaProgram.own(Program.FAILS), List.of());
            assertEquals(new ChildEvent.Ended(second, 1), events.take());
            assertEquals(0, ended.get());
            children.close();
            assertEquals(new ChildEvent.Ended(first, 0), events.take());
            JavaProgram program = JavaProgram.own(Program.STEPS);
            assertThrows(BusException.class, () -> children.start("late", program, List.of()));
        } finally {
            children.close();
        }
        assertEquals(1, ended.get());
    }

    @Test
    void dropsFlagsThatDependOnClassPath() {
        JavaProgram program = JavaProgram.other(Program.STEPS, "elsewhere").with(List.of("-Da=b"));
        assertFalse(program.flags().stream().anyMatch(flag -> flag.startsWith("-XX:AOT")));
        List<String> command = program.command(List.of("x"));
        assertEquals(
                List.of(
                        "-Da=b",
                        "-cp",
                        "elsewhere",
                        ChildMain.class.getName(),
                        Program.class.getName(),
                        "STEPS",
                        "x"),
                command.subList(command.size() - 7, command.size()));
    }
}
