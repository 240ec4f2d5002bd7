// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** The lengths of a driver's files are multiples of {@code file-page-size}, as with Aeron's. */
@Timeout(60)
class FilePagesTest {
    private static final int TERM = 64 * 1024;
    private static final int STREAM = 7;

    @ParameterizedTest
    @ValueSource(ints = {4096, 65_536, 2 * 1024 * 1024, 1024 * 1024 * 1024})
    void alignsFilesToPagesButAllocatesOnlyUsedMemory(int page) throws IOException {
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(Drivers.config().filePageLength(page));
                CncFile cnc = CncFile.map(driver.directory().resolve(CncFile.NAME));
                Aeron aeron =
                        Aeron.connect(
                                new Aeron.Context()
                                        .aeronDirectoryName(driver.directory().toString()))) {
            File file = CommonContext.newCncFile(driver.directory().toString());
            MappedByteBuffer map = IoUtil.mapExistingFile(file, "cnc");
            UnsafeBuffer header = CncFileDescriptor.createMetaDataBuffer(map);
            assertEquals(page, CncFileDescriptor.filePageSize(header));
            IoUtil.unmap(map);
            int sections =
                    cnc.toDriver().capacity()
                            + cnc.toClients().capacity()
                            + cnc.counterMetadata().capacity()
                            + cnc.counterValues().capacity()
                            + cnc.errorLog().capacity();
            assertEquals(CncFileDescriptor.computeCncFileLength(sections, page), file.length());
            assertMemory(
                    // The last byte is written, which gives the file its length.
                    CncFileDescriptor.computeCncFileLength(sections, 4096)
                            + (page > 4096 ? 4096 : 0),
                    file.toPath());

            exchange(aeron, "aeron:ipc");
            exchange(aeron, "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort());
            assertEquals(3, Drivers.logs(driver).size(), "two publications and an image");
            for (Path log : Drivers.logs(driver)) {
                assertEquals(LogBufferDescriptor.computeLogLength(TERM, page), Files.size(log));
                assertMemory(LogBufferDescriptor.computeLogLength(TERM, 4096), log);
            }
        }
    }

    /** Sends several times around the logs. The publication remains until its client closes. */
    private static void exchange(Aeron aeron, String channel) {
        Subscription subscription = aeron.addSubscription(channel, STREAM);
        Publication publication = aeron.addPublication(channel, STREAM);
        UnsafeBuffer message = new UnsafeBuffer(new byte[1024]);
        long[] received = new long[1];
        for (long i = 1; i <= 5 * TERM / 1024; i++) {
            long number = i;
            message.putLong(0, number);
            Await.done("offered " + number, () -> publication.offer(message) > 0);
            Await.done(
                    "received " + number,
                    () -> {
                        subscription.poll(
                                (buffer, offset, length, at) ->
                                        received[0] = buffer.getLong(offset),
                                1);
                        return received[0] == number;
                    });
        }
    }

    /** The padding of the last page takes no memory. */
    private static void assertMemory(long expected, Path file) throws IOException {
        // st_blocks counts 512 bytes each.
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        long blocks = Long.parseLong(new String(stat.getInputStream().readAllBytes()).trim());
        assertEquals(expected, 512 * blocks, file.toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2048, 4095, 6000, Integer.MIN_VALUE})
    void rejectsPageLengthThatIsNotPowerOfTwoInRange(int page) {
        DriverConfigBuilder config = Drivers.config();
        BusException refusal = assertThrows(BusException.class, () -> config.filePageLength(page));
        assertTrue(
                refusal.getMessage().startsWith("file-page-size is " + page + ": "),
                refusal.getMessage());
    }

    @Test
    void rejectsPageLengthThatMakesFileTooLong() {
        DriverConfigBuilder config =
                Drivers.config()
                        .counterValuesLength(256 * 1024 * 1024)
                        .filePageLength(1024 * 1024 * 1024);
        BusException refusal =
                assertThrows(BusException.class, () -> MediaDriver.launchEmbedded(config));
        assertTrue(refusal.getMessage().contains("smaller pages"), refusal.getMessage());
    }
}
