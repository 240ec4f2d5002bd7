// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.LogSpec;

import java.util.List;

/** Explains why a peer has deferred a stream. */
final class NoSubscription {
    private NoSubscription() {}

    /**
     * Returns the cause and the remedy as one sentence.
     *
     * @param spec stream that was offered.
     * @param endpoint name of the endpoint.
     * @param streams ids of the streams that the endpoint's subscriptions want, in the text that
     *     the peer sent.
     */
    static String of(LogSpec spec, String endpoint, String streams) {
        String stream = "stream " + spec.streamId();
        if (streams.isEmpty()) {
            return "no subscription at " + endpoint + ": subscribe to " + stream + " there";
        }
        if (List.of(streams.split(", ")).contains(Integer.toString(spec.streamId()))) {
            return "no subscription for session "
                    + spec.sessionId()
                    + " of "
                    + stream
                    + " at "
                    + endpoint
                    + ", only for other sessions: remove session-id from the subscription's"
                    + " channel, or use the same session-id in both channels";
        }
        return "no subscription for "
                + stream
                + " at "
                + endpoint
                + ", only for "
                + (streams.contains(",") ? "streams " : "stream ")
                + streams
                + ": use the same stream id at both ends";
    }
}
