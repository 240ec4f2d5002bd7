// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.cluster.codecs.CloseReason;
import io.aeron.cluster.service.ClientSession;
import io.aeron.cluster.service.Cluster;
import io.aeron.cluster.service.ClusteredService;
import io.aeron.logbuffer.Header;
import io.verbus.codecs.marketdata.MessageHeaderDecoder;
import io.verbus.codecs.marketdata.MessageHeaderEncoder;
import io.verbus.codecs.marketdata.NewOrderDecoder;
import io.verbus.codecs.marketdata.OrderAcceptedEncoder;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.TimeUnit;

/**
 * Matches the orders in a cluster's log, and answers each. An account that misses an answer sends
 * its order again; the {@link MatchingEngine} accepts the order only once.
 */
public final class OrderMatchingService implements ClusteredService {
    private static final long STATE_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int ANSWER_ATTEMPTS = 1_000;

    private final MessageHeaderDecoder messageHeader = new MessageHeaderDecoder();
    private final NewOrderDecoder order = new NewOrderDecoder();
    private final MessageHeaderEncoder answerHeader = new MessageHeaderEncoder();
    private final OrderAcceptedEncoder answer = new OrderAcceptedEncoder();
    private final UnsafeBuffer answerBuffer = new UnsafeBuffer(new byte[128]);
    private final Listener listener;

    private MatchingEngine engine = new MatchingEngine();
    private MatchingEngine.State told;
    private long nextStateNs;
    private Cluster cluster;

    /**
     * Receives the events of this member, on the service's thread unless a method says otherwise.
     */
    public interface Listener {
        /** Called when the member has become leader or follower. */
        void onRole(Cluster.Role role);

        /** Called when the state has changed; at most once a second. */
        void onState(MatchingEngine.State state);

        /** Called when the member has written a snapshot. */
        void onSnapshot(MatchingEngine.State state);

        /**
         * Called when a part of the member has ended and will not restart: restart the process.
         * Called on that part's thread, possibly for several parts.
         */
        void onEnd(String part);
    }

    public OrderMatchingService(Listener listener) {
        this.listener = listener;
    }

    @Override
    public void onStart(Cluster started, Image snapshot) {
        cluster = started;
        if (snapshot != null) {
            engine = EngineSnapshot.read(snapshot, cluster.idleStrategy());
        }
    }

    @Override
    public void onSessionMessage(
            ClientSession session,
            long timestamp,
            DirectBuffer buffer,
            int offset,
            int length,
            Header header) {
        if (messageHeader.wrap(buffer, offset).templateId() != NewOrderDecoder.TEMPLATE_ID) {
            return;
        }
        order.wrapAndApplyHeader(buffer, offset, messageHeader);
        long id = order.clientOrderId();
        long timestampNs = order.timestampNs();
        long sequence = engine.take(order);
        if (sequence != MatchingEngine.EARLY) {
            answer(session, id, timestampNs, sequence);
        }
    }

    private void answer(ClientSession session, long id, long timestampNs, long sequence) {
        answer.wrapAndApplyHeader(answerBuffer, 0, answerHeader)
                .sequence(sequence)
                .timestampNs(timestampNs)
                .clientOrderId(id)
                .filled(engine.filled());
        int length = MessageHeaderEncoder.ENCODED_LENGTH + answer.encodedLength();
        cluster.idleStrategy().reset();
        for (int i = 0; i < ANSWER_ATTEMPTS; i++) {
            long result =
                    session.offer(answerBuffer, 0, length); // only the leader's answer is sent
            if (result != Publication.BACK_PRESSURED && result != Publication.ADMIN_ACTION) {
                return;
            }
            cluster.idleStrategy().idle();
        }
    }

    @Override
    public void onTakeSnapshot(ExclusivePublication snapshot) {
        EngineSnapshot.write(engine, snapshot, cluster.idleStrategy());
        listener.onSnapshot(engine.state());
    }

    @Override
    public void onRoleChange(Cluster.Role role) {
        listener.onRole(role);
    }

    @Override
    public int doBackgroundWork(long nowNs) {
        if (nowNs - nextStateNs < 0) {
            return 0;
        }
        nextStateNs = nowNs + STATE_INTERVAL_NS;
        MatchingEngine.State state = engine.state();
        if (state.equals(told)) {
            return 0;
        }
        told = state;
        listener.onState(state);
        return 1;
    }

    @Override
    public void onSessionOpen(ClientSession session, long timestamp) {}

    @Override
    public void onSessionClose(ClientSession session, long timestamp, CloseReason reason) {}

    @Override
    public void onTimerEvent(long correlationId, long timestamp) {}

    @Override
    public void onTerminate(Cluster terminated) {}
}
