// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * Plain access to native memory at raw addresses. Only alignment is checked: addresses come from
 * the C libraries or from memory allocated here.
 */
@SuppressWarnings("restricted")
final class Memory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Memory() {}

    static long getLong(long address) {
        return ALL.get(JAVA_LONG, address);
    }

    static void putLong(long address, long value) {
        ALL.set(JAVA_LONG, address, value);
    }

    static int getInt(long address) {
        return ALL.get(JAVA_INT, address);
    }

    static void putInt(long address, int value) {
        ALL.set(JAVA_INT, address, value);
    }

    static short getShort(long address) {
        return ALL.get(JAVA_SHORT, address);
    }

    static void putShort(long address, short value) {
        ALL.set(JAVA_SHORT, address, value);
    }

    static byte getByte(long address) {
        return ALL.get(JAVA_BYTE, address);
    }

    static void putByte(long address, byte value) {
        ALL.set(JAVA_BYTE, address, value);
    }

    /** Copies bytes to an array; an address of 0 is allowed if the length is 0. */
    static byte[] getBytes(long address, int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(ALL, JAVA_BYTE, address, bytes, 0, length);
        return bytes;
    }

    static void copy(long from, long to, int length) {
        MemorySegment.copy(ALL, from, ALL, to, length);
    }

    static void putBytes(long address, byte[] bytes) {
        MemorySegment.copy(bytes, 0, ALL, JAVA_BYTE, address, bytes.length);
    }

    /** Reads a C string up to the terminating zero. */
    static String getString(long address) {
        return address == 0 ? "" : ALL.getString(address);
    }

    /** Reads a C string in a field of fixed length; the terminating zero is optional. */
    static String getString(long address, int length) {
        int end = 0;
        while (end < length && getByte(address + end) != 0) {
            end++;
        }
        return new String(getBytes(address, end), StandardCharsets.US_ASCII);
    }
}
