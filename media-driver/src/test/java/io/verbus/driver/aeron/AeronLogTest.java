// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Aeron's classes read a Verbus log. */
class AeronLogTest {
    private static final int SESSION = -77;
    private static final int STREAM = 1001;
    private static final int FIRST_TERM = Integer.MAX_VALUE - 1;

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({"65536, 4096", "65536, 65536", "65536, 2097152", "1048576, 4096"})
    void aeronMapsLog(int termLength, long pageLength) throws IOException {
        Path file = directory.resolve("publication-1.log");
        Files.createFile(file);
        LogSpec spec =
                new LogSpec(
                        LogType.EXCLUSIVE_PUBLICATION,
                        1,
                        SESSION,
                        STREAM,
                        FIRST_TERM,
                        termLength,
                        1408,
                        0);
        try (LogBuffers log = LogBuffers.initialise(file, file, spec, pageLength);
                io.aeron.LogBuffers aeron = new io.aeron.LogBuffers(file.toString())) {
            assertEquals(
                    LogBufferDescriptor.computeLogLength(termLength, (int) pageLength),
                    Files.size(file));
            assertEquals(termLength, aeron.termLength());
            UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
            new ExclusiveAppender(log).append(message, 0, 100, 4711, Long.MAX_VALUE);
            UnsafeBuffer term = aeron.duplicateTermBuffers()[0];
            assertEquals(132, FrameDescriptor.frameLengthVolatile(term, 0));
            assertEquals(4711, DataHeaderFlyweight.reservedValue(term, 0));
            assertEquals(
                    LogBufferDescriptor.packTail(FIRST_TERM, 160),
                    LogBufferDescriptor.rawTailVolatile(aeron.metaDataBuffer()));
        }
    }

    @ParameterizedTest
    @EnumSource(LogType.class)
    void aeronReadsMetadata(LogType type) {
        int termLength = LogLayout.MIN_TERM_LENGTH;
        long position = 4L * termLength + 96;
        LogSpec spec =
                new LogSpec(type, 42, SESSION, STREAM, FIRST_TERM, termLength, 704, position);
        try (LogBuffers log = LogBuffers.inMemory(spec)) {
            UnsafeBuffer metadata = log.metadata();
            assertEquals(LogBufferDescriptor.LOG_META_DATA_LENGTH, metadata.capacity());
            assertEquals(42, LogBufferDescriptor.correlationId(metadata));
            assertEquals(FIRST_TERM, LogBufferDescriptor.initialTermId(metadata));
            assertEquals(704, LogBufferDescriptor.mtuLength(metadata));
            assertEquals(termLength, LogBufferDescriptor.termLength(metadata));
            assertEquals(4096, LogBufferDescriptor.pageSize(metadata));
            assertEquals(type.ordinal(), LogBufferDescriptor.type(metadata));
            assertEquals(4, LogBufferDescriptor.activeTermCount(metadata));
            assertEquals(Long.MAX_VALUE, LogBufferDescriptor.endOfStreamPosition(metadata));
            for (int count = 2; count <= 4; count++) {
                // The ids of the two next terms are those of the previous lap.
                int termId = FIRST_TERM + count;
                assertEquals(
                        LogBufferDescriptor.packTail(termId, count == 4 ? 96 : 0),
                        LogBufferDescriptor.rawTail(
                                metadata, LogBufferDescriptor.indexByTermCount(count)));
            }
            DataHeaderFlyweight header =
                    new DataHeaderFlyweight(LogBufferDescriptor.defaultFrameHeader(metadata));
            assertEquals(0, header.frameLength());
            assertEquals(DataHeaderFlyweight.BEGIN_AND_END_FLAGS, header.flags());
            assertEquals(DataHeaderFlyweight.HDR_TYPE_DATA, header.headerType());
            assertEquals(SESSION, header.sessionId());
            assertEquals(STREAM, header.streamId());
            assertEquals(FIRST_TERM, header.termId());
        }
    }

    @ParameterizedTest
    @EnumSource(LogType.class)
    void aeronWritesMetadataAtSameOffsets(LogType type) {
        int termLength = LogLayout.MIN_TERM_LENGTH;
        LogSpec spec = new LogSpec(type, 42, SESSION, STREAM, 7, termLength, 704, 0);
        try (LogBuffers log = LogBuffers.inMemory(spec)) {
            UnsafeBuffer metadata = log.metadata();
            LogBufferDescriptor.endOfStreamPosition(metadata, 96);
            assertEquals(96, metadata.getLong(LogLayout.END_OF_STREAM));
            LogBufferDescriptor.isConnected(metadata, true);
            assertEquals(1, metadata.getInt(LogLayout.CONNECTED));
            LogBufferDescriptor.activeTransportCount(metadata, 3);
            assertEquals(3, metadata.getInt(LogLayout.ACTIVE_TRANSPORT_COUNT));
            assertTrue(
                    LogLayout.UNBLOCKED
                            > LogBufferDescriptor.LOG_UNTETHERED_LINGER_TIMEOUT_NS_OFFSET);
        }
    }
}
