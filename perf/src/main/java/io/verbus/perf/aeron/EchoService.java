// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.cluster.codecs.CloseReason;
import io.aeron.cluster.service.ClientSession;
import io.aeron.cluster.service.Cluster;
import io.aeron.cluster.service.ClusteredService;
import io.aeron.logbuffer.Header;

import org.agrona.DirectBuffer;

/** Cluster service that sends back each message. */
final class EchoService implements ClusteredService {
    private Cluster cluster;

    @Override
    public void onStart(Cluster started, Image snapshot) {
        cluster = started;
    }

    @Override
    public void onSessionMessage(
            ClientSession session,
            long timestamp,
            DirectBuffer buffer,
            int offset,
            int length,
            Header header) {
        cluster.idleStrategy().reset();
        long result = session.offer(buffer, offset, length); // only the leader's answer is sent
        while (result == Publication.BACK_PRESSURED || result == Publication.ADMIN_ACTION) {
            // The loop ends when the session's client disconnects.
            cluster.idleStrategy().idle();
            result = session.offer(buffer, offset, length);
        }
    }

    @Override
    public void onSessionOpen(ClientSession session, long timestamp) {}

    @Override
    public void onSessionClose(ClientSession session, long timestamp, CloseReason reason) {}

    @Override
    public void onTimerEvent(long correlationId, long timestamp) {}

    @Override
    public void onTakeSnapshot(ExclusivePublication snapshot) {}

    @Override
    public void onRoleChange(Cluster.Role role) {}

    @Override
    public void onTerminate(Cluster terminated) {}
}
