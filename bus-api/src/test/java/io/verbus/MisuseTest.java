// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.FragmentHandler;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Tests misuse of the API with and without the system property {@code verbus.checks}. */
@Timeout(60)
class MisuseTest {
    @Test
    void reportsEachKindOfMisuse() throws IOException, InterruptedException {
        assertEquals(
                List.of(
                        "handler: a handler called by IMAGE channel=verbus:ipc stream=STREAM must"
                                + " not poll it again: return from the handler first",
                        "claim: this claim of 8 bytes in term 7 is still open, and blocks the"
                                + " stream: commit or abort it before reusing this object",
                        "threads: threads THREAD and THREAD use PUBLICATION at the same time: use"
                                + " it from one thread at a time",
                        "one thread after the other: nothing",
                        "pollers: threads THREAD and THREAD use IMAGE channel=verbus:ipc"
                                + " stream=STREAM at the same time: use it from one thread at a"
                                + " time",
                        "closed subscription: SUBSCRIPTION is closed: stop polling it"),
                output("true"));
    }

    @Test
    void reportsNoMisuseWithoutProperty() throws IOException, InterruptedException {
        assertEquals(
                List.of(
                        "handler: nothing",
                        "claim: nothing",
                        "threads: nothing",
                        "one thread after the other: nothing",
                        "pollers: nothing",
                        "closed subscription: nothing"),
                output("false"));
    }

    private static List<String> output(String checks) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--")) {
                command.add(flag);
            }
        }
        command.addAll(
                List.of(
                        "-Dverbus.checks=" + checks,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Misuser.class.getName()));
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, child.waitFor(), text);
        return text.lines().filter(line -> !line.startsWith("WARNING")).toList();
    }

    /** Program that misuses the API. */
    static final class Misuser {
        private static final UnsafeBuffer MESSAGE = new UnsafeBuffer(new byte[8]);

        private Misuser() {}

        public static void main(String[] args) {
            print("handler", pollInHandler());
            print("claim", forgetClaim());
            print("threads", twoThreads(true));
            print("one thread after the other", twoThreads(false));
            print("pollers", twoPollers());
            print("closed subscription", pollAfterClose());
        }

        private static void print(String what, Throwable error) {
            String text = error == null ? "nothing" : error.getMessage();
            System.out.println(
                    what
                            + ": "
                            + text.replaceAll("image \\d+", "IMAGE")
                                    .replaceAll("stream=\\d+ [^,]*source=[^ ,]+", "stream=STREAM")
                                    .replaceAll(
                                            "threads \\S+ and \\S+ use",
                                            "threads THREAD and THREAD use")
                                    .replaceAll(
                                            "use publication.* at the", "use PUBLICATION at the")
                                    .replaceAll("subscription .* is", "SUBSCRIPTION is"));
        }

        private static Throwable pollInHandler() {
            try (Stream stream = new Stream()) {
                stream.limit.setVolatile(Stream.TERM_LENGTH);
                Image image = stream.ipcImage();
                Publication publication = stream.publication(true);
                publication.offer(MESSAGE);
                FragmentHandler none = (buffer, offset, length, header) -> {};
                publication.offer(MESSAGE);
                Throwable thrown =
                        failureOf(
                                () ->
                                        image.poll(
                                                (buffer, offset, length, header) ->
                                                        image.poll(none, 1),
                                                1));
                return stream.errors.isEmpty() ? thrown : new AssertionError(stream.errors);
            }
        }

        private static Throwable twoPollers() {
            try (Stream stream = new Stream()) {
                stream.limit.setVolatile(Stream.TERM_LENGTH);
                Image image = stream.ipcImage();
                Publication publication = stream.publication(true);
                publication.offer(MESSAGE);
                publication.offer(MESSAGE);
                FragmentHandler none = (buffer, offset, length, header) -> {};
                AtomicReference<Throwable> thrown = new AtomicReference<>();
                Runnable poll = () -> image.poll(none, 1);
                Thread other =
                        Thread.ofPlatform().name("b").unstarted(() -> thrown.set(failureOf(poll)));
                image.poll((buffer, offset, length, header) -> startAndJoin(other), 1);
                return stream.errors.isEmpty() ? thrown.get() : new AssertionError(stream.errors);
            }
        }

        private static Throwable pollAfterClose() {
            try (Stream stream = new Stream()) {
                Subscription subscription = stream.subscription(ChannelUri.parse("verbus:ipc"));
                subscription.close();
                FragmentHandler none = (buffer, offset, length, header) -> {};
                return failureOf(() -> subscription.poll(none, 1));
            }
        }

        private static Throwable forgetClaim() {
            try (Stream stream = new Stream()) {
                stream.limit.setVolatile(Stream.TERM_LENGTH);
                Publication publication = stream.publication(false);
                BufferClaim claim = new BufferClaim();
                publication.tryClaim(8, claim);
                return failureOf(() -> publication.tryClaim(8, claim));
            }
        }

        /** Offers by two threads, at the same time or in turns. */
        private static Throwable twoThreads(boolean atOnce) {
            try (Stream stream = new Stream()) {
                stream.limit.setVolatile(Stream.TERM_LENGTH);
                ExclusivePublication publication = (ExclusivePublication) stream.publication(true);
                AtomicReference<Throwable> found = new AtomicReference<>();
                Runnable plain = () -> publication.offer(MESSAGE);
                Thread other =
                        Thread.ofPlatform().name("b").unstarted(() -> found.set(failureOf(plain)));
                if (atOnce) { // a supplier runs within the offer
                    publication.offer(MESSAGE, 0, 8, (term, offset, length) -> startAndJoin(other));
                } else {
                    plain.run();
                    startAndJoin(other);
                }
                return found.get();
            }
        }

        private static long startAndJoin(Thread thread) {
            thread.start();
            try {
                thread.join();
                return 0;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Throwable failureOf(Runnable call) {
            try {
                call.run();
                return null;
            } catch (RuntimeException e) {
                return e;
            }
        }
    }
}
