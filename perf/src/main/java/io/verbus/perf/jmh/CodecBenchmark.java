// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import io.verbus.codecs.control.AddPublicationDecoder;
import io.verbus.codecs.control.AddPublicationEncoder;
import io.verbus.logbuffer.FrameHeader;

import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Measures encoding and decoding of a frame's first word, and of a control message. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[512]);
    private final AddPublicationEncoder encoder = new AddPublicationEncoder();
    private final AddPublicationDecoder decoder = new AddPublicationDecoder();
    private final byte[] channel =
            "verbus:rdma?endpoint=10.0.0.2:20410".getBytes(StandardCharsets.US_ASCII);
    private final byte[] decoded = new byte[channel.length];
    private int length = 96;
    private long word = FrameHeader.word(96, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_DATA);

    /** Encodes a frame's first word. */
    @Benchmark
    public long encodeFrameWord() {
        return FrameHeader.word(length, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_DATA);
    }

    /** Decodes length, aligned length and type from a frame's first word. */
    @Benchmark
    public int decodeFrameWord() {
        return FrameHeader.align(FrameHeader.length(word)) + FrameHeader.type(word);
    }

    /** Encodes the command that adds a publication. */
    @Benchmark
    public int encodeControlMessage() {
        encoder.wrap(buffer, 0)
                .clientId(1)
                .correlationId(2)
                .streamId(3)
                .putChannel(channel, 0, channel.length);
        return encoder.encodedLength();
    }

    /** Encodes and decodes the command that adds a publication. */
    @Benchmark
    public long decodeControlMessage() {
        encodeControlMessage();
        decoder.wrap(
                buffer,
                0,
                AddPublicationDecoder.BLOCK_LENGTH,
                AddPublicationDecoder.SCHEMA_VERSION);
        return decoder.clientId()
                + decoder.correlationId()
                + decoder.streamId()
                + decoder.getChannel(decoded, 0, decoded.length);
    }
}
