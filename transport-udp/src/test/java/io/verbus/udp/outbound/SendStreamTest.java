// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.TransportCounter;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;
import io.verbus.transport.TestHost;
import io.verbus.transport.TestStream;
import io.verbus.transport.Transport;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.common.UdpOptions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class SendStreamTest {
    private static final long TIMEOUT_NS = 1_000_000_000;
    private static final int TERM = 64 * 1024;
    private static final int WINDOW = 8192;
    private static final ChannelUri CHANNEL = ChannelUri.parse("aeron:udp?control-mode=manual");

    @TempDir Path folder;
    private LogBuffers log;
    private TestStream stream;
    private SendStream sending;

    @BeforeEach
    void begin() {
        TestHost host =
                new TestHost(1, folder, 512) {
                    @Override
                    protected Transport transport() {
                        throw new UnsupportedOperationException("nothing is sent");
                    }
                };
        LogSpec spec = new LogSpec(LogType.CONCURRENT_PUBLICATION, 7, 11, 10, 5, TERM, 1408, 0);
        log = LogBuffers.create(folder.resolve("publication.log"), spec);
        stream = new TestStream(CHANNEL, log);
        sending =
                new SendStream(
                        stream,
                        UdpOptions.of(host),
                        new SenderCounters(host),
                        new MinFlowControl(
                                0,
                                TIMEOUT_NS,
                                TIMEOUT_NS,
                                1,
                                host.counter(TransportCounter.UDP_ROUND_TRIPS)),
                        null,
                        true,
                        null,
                        1);
    }

    @AfterEach
    void end() {
        log.close();
    }

    /**
     * Moves the stream on, as other receivers would: sent up to one position, released up to
     * another.
     */
    private void advance(long position, long released) {
        stream.senderPosition(position);
        stream.onReleased(released, WINDOW);
    }

    @Test
    void ignoresReceiverThatNeedsReleasedPartOfLog() {
        advance(40_960, 20_480);
        sending.onStatus(false, 20_448, WINDOW, 5, 2);
        assertFalse(stream.connected);
        sending.onStatus(false, 20_480, WINDOW, 6, 3);
        assertTrue(stream.connected);
        assertEquals(
                20_480 + WINDOW,
                sending.flow().limit(),
                "must not be limited by the first" + " receiver");
    }

    @Test
    void removesReceiverThatLeavesAtAnyPosition() {
        advance(4096, 0);
        sending.onStatus(false, 0, WINDOW, 5, 2);
        stream.onReleased(2048, WINDOW);
        sending.onStatus(true, 0, WINDOW, 5, 3);
        assertFalse(sending.flow().hasReceivers(4));
    }
}
