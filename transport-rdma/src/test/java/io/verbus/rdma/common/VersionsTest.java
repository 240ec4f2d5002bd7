// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.rdma.RejectCode;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HexFormat;

class VersionsTest {
    /** The exact bytes of a version 3 driver's hello, announcement and answer. */
    private static final byte[] HELLO_3 =
            hex("0100535542524556" + "03000000" + "0300" + "0807060504030201");

    private static final byte[] ANNOUNCE_3 =
            hex(
                    "0101535542524556"
                            + "03000000"
                            + "0807060504030201"
                            + "e81c"
                            + "01"
                            + "2a000000"
                            + "fdffffff");

    private static final byte[] ANNOUNCED_3 =
            hex("0101535542524556" + "03000000" + "0800" + "0807060504030201");

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    @Test
    void readsHellosOfPreviousRelease() {
        Versions before = new Versions(3, 3);
        Hello hello = new Hello(before, RejectCode.NOT_ALLOWED, 0x0102030405060708L);
        Announcement announcement =
                new Announcement(before, 0x0102030405060708L, 7400, true, 42, -3, 0, 0, 0);
        Announcement.Answer answer =
                new Announcement.Answer(before, RejectCode.ANNOUNCED, 0x0102030405060708L);
        for (int padding : new int[] {0, 1, 3, 20}) {
            assertEquals(hello, Hello.read(padded(HELLO_3, padding)));
            assertEquals(announcement, Announcement.read(padded(ANNOUNCE_3, padding)));
            assertEquals(answer, Announcement.Answer.read(padded(ANNOUNCED_3, padding)));
        }
        assertEquals(3, hello.version());
        assertNull(Hello.read(Arrays.copyOf(HELLO_3, HELLO_3.length - 1)));
        assertNull(Announcement.read(Arrays.copyOf(ANNOUNCE_3, ANNOUNCE_3.length - 1)));
        assertNull(Announcement.Answer.read(Arrays.copyOf(ANNOUNCED_3, ANNOUNCED_3.length - 1)));
    }

    private static byte[] padded(byte[] bytes, int padding) {
        return Arrays.copyOf(bytes, bytes.length + padding);
    }

    /** The previous release reads the first bytes, accepts only version 3, and skips the rest. */
    @Test
    void sendsHellosThatPreviousReleaseReads() {
        byte[] hello = Hello.of(0x0102030405060708L, RejectCode.NOT_ALLOWED);
        assertArrayEquals(HELLO_3, Arrays.copyOf(hello, HELLO_3.length));
        assertTrue(hello.length <= 56);
        byte[] announcement = Announcement.ofSession(0x0102030405060708L, 7400, 42, -3).bytes();
        assertArrayEquals(ANNOUNCE_3, Arrays.copyOf(announcement, ANNOUNCE_3.length));
        assertTrue(announcement.length <= 56);
        byte[] answer = Announcement.Answer.of(RejectCode.ANNOUNCED, 0x0102030405060708L);
        assertArrayEquals(ANNOUNCED_3, Arrays.copyOf(answer, ANNOUNCED_3.length));
        assertEquals(0, Versions.schema(3));
    }

    @Test
    void choosesHighestCommonVersion() {
        assertEquals(4, Versions.OURS.common(new Versions(4, 5)));
        assertEquals(4, Versions.OURS.common(new Versions(3, 4)));
        assertEquals(3, Versions.OURS.common(new Versions(3, 3)));
        assertEquals(Versions.NONE, Versions.OURS.common(new Versions(5, 6)));
        assertEquals(Versions.NONE, Versions.OURS.common(new Versions(2, 2)));
        assertTrue(new Versions(5, 6).isStrangeTo(Versions.OURS));
        assertFalse(new Versions(4, 5).isStrangeTo(Versions.OURS));
    }

    @Property(tries = 500)
    void choosesSameVersionOnBothSides(
            @ForAll @IntRange(min = 1, max = 20) int low,
            @ForAll @IntRange(max = 5) int width,
            @ForAll @IntRange(min = 1, max = 20) int otherLow,
            @ForAll @IntRange(max = 5) int otherWidth) {
        Versions one = new Versions(low, low + width);
        Versions other = new Versions(otherLow, otherLow + otherWidth);
        int common = one.common(other);
        assertEquals(common, other.common(one));
        boolean overlap = low <= otherLow + otherWidth && otherLow <= low + width;
        assertEquals(overlap, common != Versions.NONE);
        assertEquals(overlap ? Math.min(one.highest(), other.highest()) : Versions.NONE, common);
    }

    @Property(tries = 2_000)
    void readsOrRejectsRandomHellos(@ForAll @Size(max = 64) byte[] words, @ForAll boolean isMagic) {
        byte[] bytes = words.clone();
        if (isMagic && bytes.length >= 8) {
            System.arraycopy(HELLO_3, 0, bytes, 0, 8);
        }
        Hello hello = Hello.read(bytes);
        assertEquals(isMagic && bytes.length >= HELLO_3.length, hello != null);
        if (hello != null) {
            int version = hello.version();
            assertTrue(
                    version == Versions.NONE
                            || version >= Versions.OURS.lowest()
                                    && version <= Versions.OURS.highest());
        }
    }
}
