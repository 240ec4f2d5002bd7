// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeron.FragmentAssembler;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A Verbus driver at one end of UDP, and Aeron's C driver, of several releases, at the other. */
@EnabledIfEnvironmentVariable(
        named = CProgram.FOLDER,
        matches = ".+",
        disabledReason = CProgram.ABSENT)
@Timeout(120)
class AeronCDriverTest {
    private static final int STREAM = 10;
    private static final int MESSAGES = 3_000;

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Path directory = DriverDirectory.uniquePath();
    private MediaDriver driver;

    private Aeron ours() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        open.add(driver);
        return client(driver.directory());
    }

    private Aeron theirs(String program) {
        Assumptions.assumeTrue(CProgram.isThere(program), program + " is not there");
        open.add(CProgram.startDriver(program, directory));
        return client(directory);
    }

    private Aeron client(Path of) {
        Aeron aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(of.toString())
                                .driverTimeoutMs(20_000)
                                .errorHandler(clientErrors::add));
        open.add(aeron);
        return aeron;
    }

    @AfterEach
    void close() throws Exception {
        List<String> errors = new ArrayList<>();
        if (driver != null) {
            errors.addAll(Drivers.errors(driver));
            errors.addAll(theirErrors());
        }
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    private List<String> theirErrors() {
        List<String> errors = new ArrayList<>();
        MappedByteBuffer cnc =
                IoUtil.mapExistingFile(
                        CommonContext.newCncFile(directory.toString()), CncFileDescriptor.CNC_FILE);
        try {
            ErrorLogReader.read(
                    CncFileDescriptor.createErrorLogBuffer(
                            cnc, CncFileDescriptor.createMetaDataBuffer(cnc)),
                    (count, first, last, text) -> errors.add(text));
        } finally {
            IoUtil.unmap(cnc);
        }
        return errors;
    }

    private static String free() throws IOException {
        return "127.0.0.1:" + UdpInteropTest.freePort();
    }

    private static UnsafeBuffer message(long number) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[16 + (int) (number * 131 % 4_000)]);
        message.putLong(0, number);
        message.putLong(message.capacity() - 8, ~number);
        return message;
    }

    @ParameterizedTest
    @CsvSource({
        "aeronmd, true",
        "aeronmd, false",
        "aeronmd-1.52.2, true",
        "aeronmd-1.52.2, false",
        "aeronmd-1.53-pre, true",
        "aeronmd-1.53-pre, false"
    })
    void exchangesMessagesToEndOfStream(String program, boolean isTheirsTheSender)
            throws IOException {
        Aeron theirs = theirs(program);
        Aeron ours = ours();
        String channel = "aeron:udp?endpoint=" + free();
        Subscription subscription =
                (isTheirsTheSender ? ours : theirs).addSubscription(channel, STREAM);
        List<Long> received = new ArrayList<>();
        FragmentAssembler assembler =
                new FragmentAssembler(
                        (buffer, at, length, header) -> {
                            long number = buffer.getLong(at);
                            assertEquals(message(number).capacity(), length);
                            assertEquals(~number, buffer.getLong(at + length - 8));
                            received.add(number);
                        });
        try (Publication publication =
                (isTheirsTheSender ? theirs : ours)
                        .addExclusivePublication(channel + "|term-length=64k", STREAM)) {
            for (long i = 0; i < MESSAGES; i++) {
                UnsafeBuffer message = message(i);
                Await.until(
                        "offered",
                        () -> {
                            subscription.poll(assembler, 10);
                            return publication.offer(message) > 0;
                        });
            }
        }
        Await.until(
                "the end",
                () -> {
                    subscription.poll(assembler, 10);
                    return subscription.hasNoImages() && received.size() == MESSAGES;
                });
        for (int i = 0; i < MESSAGES; i++) {
            assertEquals(i, received.get(i));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"aeronmd", "aeronmd-1.52.2", "aeronmd-1.53-pre"})
    void answersRequestsFromAeronDriver(String program) throws IOException {
        Aeron theirs = theirs(program);
        Aeron ours = ours();
        String requestChannel = "aeron:udp?endpoint=" + free();
        String answerChannel = "aeron:udp?control-mode=response|control=" + free();
        Subscription requests = ours.addSubscription(requestChannel, STREAM);
        Subscription answers = theirs.addSubscription(answerChannel, STREAM);
        theirs.addPublication(
                requestChannel + "|response-correlation-id=" + answers.registrationId(), STREAM);
        Await.until("a requester", requests::isConnected);
        Image image = requests.imageAtIndex(0);
        Publication publication =
                ours.addPublication(
                        answerChannel + "|response-correlation-id=" + image.correlationId(),
                        STREAM);
        UnsafeBuffer answer = message(42);
        Await.until("offered", () -> publication.offer(answer) > 0);
        long[] received = {0};
        Await.until(
                "received",
                () ->
                        answers.poll(
                                        (buffer, at, length, header) ->
                                                received[0] = buffer.getLong(at),
                                        1)
                                > 0);
        assertEquals(42, received[0]);
    }
}
