// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.transport.TestStream;
import io.verbus.udp.wire.HeartbeatFrame;
import io.verbus.udp.wire.NakFrame;
import io.verbus.udp.wire.SetupFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

/** Encodes the frames of a peer that the test simulates. */
final class Frame {
    static final int TERM_LENGTH = 64 * 1024;
    static final int INITIAL_TERM = 5;
    static final int MTU = 1408;

    private Frame() {}

    static int setup(UnsafeBuffer frame, int session, int stream) {
        SetupFrame.write(
                frame, 0, session, stream, INITIAL_TERM, INITIAL_TERM, 0, TERM_LENGTH, MTU, 0);
        return SetupFrame.LENGTH;
    }

    /** Writes a data frame that contains message n, as the test's images expect it. */
    static int data(UnsafeBuffer frame, int session, int stream, int offset, long n) {
        int length = FrameHeader.LENGTH + TestStream.length(n, MTU);
        frame.setMemory(0, FrameHeader.align(length), (byte) 0);
        HeartbeatFrame.write(frame, 0, session, stream, INITIAL_TERM, offset);
        frame.putInt(0, length);
        frame.putLong(FrameHeader.LENGTH, n);
        for (int i = Long.BYTES; i < length - FrameHeader.LENGTH; i++) {
            frame.putByte(FrameHeader.LENGTH + i, TestStream.content(n, i));
        }
        return FrameHeader.align(length);
    }

    static int status(
            UnsafeBuffer frame, int flags, int session, int stream, int offset, int window) {
        StatusFrame.write(frame, flags, session, stream, INITIAL_TERM, offset, window, 99);
        return StatusFrame.LENGTH;
    }

    static int nak(UnsafeBuffer frame, int session, int stream, int offset, int length) {
        NakFrame.write(frame, session, stream, INITIAL_TERM, offset, length);
        return NakFrame.LENGTH;
    }
}
