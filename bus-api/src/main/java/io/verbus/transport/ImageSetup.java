// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

/**
 * A stream that a peer offers to send. The transport has checked the ranges; beyond that the values
 * must not be trusted.
 *
 * @param sessionId session id of the publication.
 * @param streamId stream id of the publication.
 * @param initialTermId initial term id of the publication.
 * @param termLength term length of the publication's log in bytes.
 * @param mtu length of the longest frame in bytes.
 * @param position position at which the image starts.
 * @param source human-readable source of the stream.
 * @param wantsResponses whether the stream carries requests, whose sender waits for responses.
 * @param span number of bytes of the image's log that the transport uses at a time, if it stays
 *     within the log's room ({@link io.verbus.memory.LogRoom}); 0 if it needs all of the log from
 *     the start.
 */
public record ImageSetup(
        int sessionId,
        int streamId,
        int initialTermId,
        int termLength,
        int mtu,
        long position,
        String source,
        boolean wantsResponses,
        long span) {
    /** Creates a setup of a stream whose image needs all of its log. */
    public ImageSetup(
            int sessionId,
            int streamId,
            int initialTermId,
            int termLength,
            int mtu,
            long position,
            String source,
            boolean wantsResponses) {
        this(
                sessionId,
                streamId,
                initialTermId,
                termLength,
                mtu,
                position,
                source,
                wantsResponses,
                0);
    }

    /**
     * Returns the parameters of an image log for the stream.
     *
     * @param registrationId registration id of the image.
     */
    public LogSpec logSpec(long registrationId) {
        return new LogSpec(
                LogType.IMAGE,
                registrationId,
                sessionId,
                streamId,
                initialTermId,
                termLength,
                mtu,
                position);
    }

    /** Returns the same stream with another position. */
    public ImageSetup at(long otherPosition) {
        return new ImageSetup(
                sessionId,
                streamId,
                initialTermId,
                termLength,
                mtu,
                otherPosition,
                source,
                wantsResponses,
                span);
    }
}
