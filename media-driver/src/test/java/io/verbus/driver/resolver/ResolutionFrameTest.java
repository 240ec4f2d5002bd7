// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.resolver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.ResolutionEntryFlyweight;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Resolution frames match Aeron's, and no datagram does harm. */
class ResolutionFrameTest {
    private static final long SEED = 20261127;

    private final UnsafeBuffer frame = new UnsafeBuffer(new byte[2048]);

    private static ResolutionEntry entry(boolean isSelf, String host, int port, String name) {
        return new ResolutionEntry(
                isSelf, new InetSocketAddress(InetAddress.ofLiteral(host), port), 1234, name);
    }

    private List<ResolutionEntry> read(int length) {
        List<ResolutionEntry> all = new ArrayList<>();
        assertTrue(ResolutionFrame.read(frame, length, all::add));
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "true, 10.1.2.3, 8050, A",
        "false, 10.1.2.3, 65535, a-longer.name",
        "true, fd00::1, 1, six"
    })
    void aeronReadsEntry(boolean isSelf, String host, int port, String name) {
        ResolutionEntry entry = entry(isSelf, host, port, name);
        int end = entry.encode(frame, ResolutionFrame.HEADER);
        ResolutionFrame.begin(frame, end);
        HeaderFlyweight header = new HeaderFlyweight(frame);
        assertEquals(HeaderFlyweight.HDR_TYPE_RES, header.headerType());
        assertEquals(end, header.frameLength());
        assertEquals(HeaderFlyweight.CURRENT_VERSION, header.version());
        ResolutionEntryFlyweight aeron = new ResolutionEntryFlyweight();
        aeron.wrap(frame, ResolutionFrame.HEADER, end - ResolutionFrame.HEADER);
        assertEquals(isSelf ? ResolutionEntryFlyweight.SELF_FLAG : 0, aeron.flags());
        assertEquals(port, aeron.udpPort());
        assertEquals(1234, aeron.ageInMs());
        assertEquals(end - ResolutionFrame.HEADER, aeron.entryLength());
        byte[] address = new byte[16];
        int length = aeron.getAddress(address);
        assertArrayEquals(
                entry.address().getAddress().getAddress(),
                java.util.Arrays.copyOf(address, length));
        StringBuilder read = new StringBuilder();
        aeron.appendName(read);
        assertEquals(name, read.toString());
        assertEquals(List.of(entry), read(end));
    }

    @Test
    void readsEntryWrittenByAeron() {
        HeaderFlyweight header = new HeaderFlyweight(frame);
        ResolutionEntryFlyweight aeron = new ResolutionEntryFlyweight();
        aeron.wrap(frame, ResolutionFrame.HEADER, 1000);
        aeron.resType(ResolutionEntryFlyweight.RES_TYPE_NAME_TO_IP4_MD)
                .flags(ResolutionEntryFlyweight.SELF_FLAG)
                .udpPort(50_000)
                .ageInMs(1234)
                .putAddress(new byte[4])
                .putName("B".getBytes(StandardCharsets.US_ASCII));
        int end = ResolutionFrame.HEADER + aeron.entryLength();
        header.headerType(HeaderFlyweight.HDR_TYPE_RES)
                .flags((short) 0)
                .version(HeaderFlyweight.CURRENT_VERSION)
                .frameLength(end);
        ResolutionEntry read = read(end).getFirst();
        assertEquals(entry(true, "0.0.0.0", 50_000, "B"), read);
        assertEquals(
                entry(true, "192.0.2.7", 50_000, "B"),
                read.from(InetAddress.ofLiteral("192.0.2.7")));
    }

    @Test
    void rejectsFrameThatEndsInsideEntry() {
        int end = entry(true, "10.1.2.3", 1, "name").encode(frame, ResolutionFrame.HEADER);
        ResolutionFrame.begin(frame, end);
        for (int length = 0; length < end; length++) {
            boolean isEmpty = length == ResolutionFrame.HEADER;
            assertEquals(isEmpty, ResolutionFrame.read(frame, length, _ -> {}), "" + length);
        }
        frame.putShort(ResolutionFrame.HEADER + 12, (short) 513);
        assertFalse(ResolutionFrame.read(frame, frame.capacity(), _ -> {}));
    }

    @Test
    void skipsUnprintableNames() {
        int end = entry(true, "10.1.2.3", 1, "a\tb").encode(frame, ResolutionFrame.HEADER);
        end = entry(true, "10.1.2.3", 0, "noPort").encode(frame, end);
        end = entry(true, "10.1.2.3", 2, "good").encode(frame, end);
        ResolutionFrame.begin(frame, end);
        assertEquals(List.of("good"), read(end).stream().map(ResolutionEntry::name).toList());
    }

    @Test
    void survivesRandomDatagrams() {
        Random random = new Random(SEED);
        KnownDrivers known = new KnownDrivers(1000);
        for (int i = 0; i < 200_000; i++) {
            int length = random.nextInt(200);
            byte[] junk = new byte[length];
            random.nextBytes(junk);
            frame.putBytes(0, junk);
            if (random.nextInt(4) > 0) {
                ResolutionFrame.begin(frame, length);
                frame.putByte(ResolutionFrame.HEADER, (byte) random.nextInt(4));
                frame.putShort(ResolutionFrame.HEADER + 12, (short) random.nextInt(20));
            }
            ResolutionFrame.read(frame, length, entry -> known.onEntry(entry, 0));
        }
        assertTrue(known.names().size() <= KnownDrivers.MAX_ENTRIES, "SEED " + SEED);
    }
}
