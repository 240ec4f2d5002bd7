// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.ResponseSetupFrame;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/**
 * Reports the session id of the responses to the sender of requests, repeatedly because datagrams
 * may be lost. Used by the receiver's thread only.
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
     * @param sender sender of control frames.
     * @param sessionId session id of the requests.
     * @param streamId stream id of the requests.
     * @param intervalNs interval between reports in nanoseconds.
     */
    ResponseNotice(ControlSender sender, int sessionId, int streamId, long intervalNs) {
        this.sender = sender;
        this.sessionId = sessionId;
        this.streamId = streamId;
        this.intervalNs = intervalNs;
    }

    /**
     * Starts or stops reporting a session id.
     *
     * @param responseSessionId session id of the responses; null to stop reporting.
     */
    void tell(Integer responseSessionId) {
        isTelling = responseSessionId != null;
        isDue = isTelling;
        if (isTelling) {
            ResponseSetupFrame.write(frame, sessionId, streamId, responseSessionId);
        }
    }

    /**
     * Runs the duty cycle.
     *
     * @param requester address at which to respond to the sender of the requests.
     * @return work count.
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
