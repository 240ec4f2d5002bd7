// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeron.driver.reports.LossReportReader;
import io.aeron.driver.reports.LossReportUtil;
import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.LossReport;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Aeron's classes read the files of a Verbus driver, and vice versa. */
class AeronCncTest {
    @TempDir Path folder;

    @Test
    void aeronReadsHeaderAndSections() throws IOException {
        try (MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config());
                CncFile cnc = CncFile.map(driver.directory().resolve(CncFile.NAME))) {
            File file = CommonContext.newCncFile(driver.directory().toString());
            MappedByteBuffer map = IoUtil.mapExistingFile(file, "cnc");
            UnsafeBuffer header = CncFileDescriptor.createMetaDataBuffer(map);
            CncFileDescriptor.checkVersion(header.getInt(CncFileDescriptor.cncVersionOffset(0)));
            assertEquals(
                    CncFileDescriptor.CNC_VERSION,
                    header.getInt(CncFileDescriptor.cncVersionOffset(0)));
            assertTrue(CncFileDescriptor.isCncFileLengthSufficient(header, (int) file.length()));
            assertEquals(
                    CncFileDescriptor.computeCncFileLength(
                            cnc.toDriver().capacity()
                                    + cnc.toClients().capacity()
                                    + cnc.counterMetadata().capacity()
                                    + cnc.counterValues().capacity()
                                    + cnc.errorLog().capacity(),
                            4096),
                    Files.size(file.toPath()));
            assertEquals(4096, CncFileDescriptor.filePageSize(header));
            assertEquals(Drivers.LIVENESS_NS, CncFileDescriptor.clientLivenessTimeoutNs(header));
            assertEquals(ProcessHandle.current().pid(), CncFileDescriptor.pid(header));
            long startMs = CncFileDescriptor.startTimestampMs(header);
            assertTrue(Math.abs(System.currentTimeMillis() - startMs) < 60_000);
            assertSame(cnc.toDriver(), CncFileDescriptor.createToDriverBuffer(map, header));
            assertSame(cnc.toClients(), CncFileDescriptor.createToClientsBuffer(map, header));
            assertSame(
                    cnc.counterMetadata(),
                    CncFileDescriptor.createCountersMetaDataBuffer(map, header));
            assertSame(
                    cnc.counterValues(), CncFileDescriptor.createCountersValuesBuffer(map, header));
            assertSame(cnc.errorLog(), CncFileDescriptor.createErrorLogBuffer(map, header));
            assertEquals(
                    1,
                    new ManyToOneRingBuffer(cnc.toDriver()).nextCorrelationId(),
                    "the first id that a client gets");
            IoUtil.unmap(map);
        }
    }

    @Test
    void usesAeronsDefaultSizesAndDirectory() {
        DriverConfig config = DriverConfig.defaults();
        assertEquals(1024 * 1024, config.toDriverLength());
        assertEquals(1024 * 1024, config.toClientsLength());
        assertEquals(8 * 1024 * 1024, config.counterValuesLength());
        assertEquals(4 * 1024 * 1024, config.errorLogLength());
        assertEquals(Path.of(CommonContext.AERON_DIR_PROP_DEFAULT), config.directory());
    }

    /**
     * Two mappings of one file: a value stored in an unused place of one is visible in the other.
     */
    private static void assertSame(UnsafeBuffer ours, UnsafeBuffer theirs) {
        assertEquals(ours.capacity(), theirs.capacity());
        int last = ours.capacity() - Long.BYTES;
        ours.putLong(last, 4711);
        assertEquals(4711, theirs.getLong(last));
        ours.putLong(last, 0);
    }

    @Test
    void aeronDetectsLiveDriver() {
        List<String> log = new ArrayList<>();
        MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config());
        File directory = driver.directory().toFile();
        try (driver) {
            assertTrue(CommonContext.isDriverActive(directory, 10_000, log::add), log.toString());
        }
        assertFalse(CommonContext.isDriverActive(directory, 10_000, log::add), log.toString());
    }

    @Test
    void aeronRejectsDirectoryOfLiveDriver() {
        try (MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config())) {
            io.aeron.driver.MediaDriver.Context context =
                    new io.aeron.driver.MediaDriver.Context()
                            .aeronDirectoryName(driver.directory().toString());
            String refusal = refusal(() -> io.aeron.driver.MediaDriver.launch(context).close());
            assertTrue(refusal.contains("Active media driver detected"), refusal);
            assertTrue(Files.exists(driver.directory().resolve(CncFile.NAME)));
        }
    }

    @Test
    void rejectsDirectoryOfLiveAeronDriver() {
        Path directory = folder.resolve("aeron");
        io.aeron.driver.MediaDriver.Context context =
                new io.aeron.driver.MediaDriver.Context()
                        .aeronDirectoryName(directory.toString())
                        .dirDeleteOnShutdown(true);
        try (io.aeron.driver.MediaDriver driver = io.aeron.driver.MediaDriver.launch(context)) {
            String refusal =
                    refusal(
                            () ->
                                    MediaDriver.launch(
                                                    Drivers.config().directory(directory).build())
                                            .close());
            assertTrue(refusal.contains("in use by another media driver"), refusal);
            assertTrue(Files.exists(directory.resolve(CncFile.NAME)));
            try (CncFile cnc = CncFile.map(directory.resolve(CncFile.NAME))) {
                assertEquals(0, cnc.spec().driverId());
                assertEquals(
                        context.clientLivenessTimeoutNs(), cnc.spec().clientLivenessTimeoutNs());
            }
            Bus.connect(
                            new BusContext()
                                    .directoryName(driver.aeronDirectoryName())
                                    .driverTimeout(Duration.ofSeconds(5)))
                    .close();
        }
    }

    private static String refusal(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            return e.getMessage();
        }
        throw new AssertionError("it was not refused");
    }

    @Test
    void aeronReadsLossReport() {
        try (LossReport report = LossReport.create(folder.resolve(LossReport.NAME))) {
            report.add(10, -7, "aeron:udp?endpoint=a:1", "127.0.0.1:4", 1, 1408, 1000);
            report.add(10, -7, "aeron:udp?endpoint=a:1", "127.0.0.1:4", 2, 64, 2000);
            report.add(11, 8, "", "x", 3, 96, 3000);
            MappedByteBuffer map = LossReportUtil.mapLossReportReadOnly(folder.toString());
            List<String> entries = new ArrayList<>();
            LossReportReader.read(
                    new UnsafeBuffer(map),
                    (observations, bytes, first, last, session, stream, channel, source) ->
                            entries.add(
                                    List.of(
                                                    observations,
                                                    bytes,
                                                    first,
                                                    last,
                                                    session,
                                                    stream,
                                                    channel,
                                                    source)
                                            .toString()));
            IoUtil.unmap(map);
            assertEquals(
                    List.of(
                            "[3, 1472, 1000, 2000, -7, 10, aeron:udp?endpoint=a:1, 127.0.0.1:4]",
                            "[3, 96, 3000, 3000, 8, 11, , x]"),
                    entries);
        }
    }
}
