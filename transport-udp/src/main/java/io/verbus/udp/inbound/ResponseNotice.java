// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.ResponseSetupFrame;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/**
 * Tells the sender of requests in which session its responses come, again and again: a datagram may
 * be lost. Receiver's thread.
 */
final class ResponseNotice {
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(ResponseSetupFrame.LENGTH));
    private final ControlSender sender;
    private final int sessionId;
    private final int streamId;
    private final long intervalNs;
    private boolean isTelling;
    private boolean isDue;
    private long toldNs;

    /**
     * @param sender what it goes out by.
     * @param sessionId of the requests.
     * @param streamId of the requests.
     * @param intervalNs between two of them.
     */
    ResponseNotice(ControlSender sender, int sessionId, int streamId, long intervalNs) {
        this.sender = sender;
        this.sessionId = sessionId;
        this.streamId = streamId;
        this.intervalNs = intervalNs;
    }

    /**
     * Tells of a session from now on.
     *
     * @param responseSessionId of the responses; null: tells nothing more.
     */
    void tell(Integer responseSessionId) {
        isTelling = responseSessionId != null;
        isDue = isTelling;
        if (isTelling) {
            ResponseSetupFrame.write(frame, sessionId, streamId, responseSessionId);
        }
    }

    /**
     * One turn of the duty cycle.
     *
     * @param requester where the sender of the requests is answered.
     * @return the amount of work done.
     */
    int work(SocketAddress requester, long nowNs) {
        if (!isTelling || !isDue && nowNs - toldNs < intervalNs) {
            return 0;
        }
        isDue = false;
        toldNs = nowNs;
        sender.send(requester, frame, ResponseSetupFrame.LENGTH, nowNs);
        return 1;
    }
}
