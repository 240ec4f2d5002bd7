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

/** Sends back each message that comes through the log of a cluster. */
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
        long result = session.offer(buffer, offset, length); // only the leader's is sent
        while (result == Publication.BACK_PRESSURED || result == Publication.ADMIN_ACTION) {
            cluster.idleStrategy().idle(); // ends when the session's client is gone
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
