// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The times at which the kernel and the network adapter received a datagram, in nanoseconds since
 * the epoch of their clocks. Not thread-safe; no method allocates.
 *
 * @see <a href="https://docs.kernel.org/networking/timestamping.html">timestamping</a>
 */
public final class ReceiptTime {
    private static final long SECOND_NS = 1_000_000_000;

    private long kernelNs;
    private long adapterNs;

    /** Returns the time of the kernel's clock, CLOCK_REALTIME; 0 if there is none. */
    public long kernelNs() {
        return kernelNs;
    }

    /** Returns the time of the adapter's own clock; 0 if it wrote none. */
    public long adapterNs() {
        return adapterNs;
    }

    /**
     * Reads the times from a datagram's control messages.
     *
     * @param controls control messages written by the kernel.
     * @param offset offset of the first.
     * @param size total size in bytes.
     */
    void read(UnsafeBuffer controls, int offset, int size) {
        kernelNs = 0;
        adapterNs = 0;
        int at = offset;
        while (offset + size - at >= LinuxAbi.ControlMessage.VALUE) {
            int length = (int) controls.getLong(at + LinuxAbi.ControlMessage.LENGTH);
            if (length < LinuxAbi.ControlMessage.VALUE) {
                return;
            }
            if (controls.getInt(at + LinuxAbi.ControlMessage.LEVEL) == LinuxAbi.SOL_SOCKET) {
                int type = controls.getInt(at + LinuxAbi.ControlMessage.TYPE);
                if (type == LinuxAbi.SO_TIMESTAMPNS
                        && length >= LinuxAbi.ControlMessage.SIZE_OF_TIME) {
                    kernelNs = time(controls, at + LinuxAbi.ControlMessage.VALUE);
                } else if (type == LinuxAbi.SO_TIMESTAMPING
                        && length >= LinuxAbi.ControlMessage.SIZE_OF_TIMES) {
                    int last = LinuxAbi.ControlMessage.SIZE_OF_TIMES - LinuxAbi.Time.SIZE;
                    adapterNs = time(controls, at + last);
                }
            }
            at += length + Long.BYTES - 1 & -Long.BYTES;
        }
    }

    private static long time(UnsafeBuffer controls, int at) {
        return controls.getLong(at + LinuxAbi.Time.SECONDS) * SECOND_NS
                + controls.getLong(at + LinuxAbi.Time.NANOSECONDS);
    }
}
