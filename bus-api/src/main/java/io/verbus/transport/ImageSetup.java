// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

/**
 * What a peer offers to send, checked by the transport for range but not to be trusted further.
 *
 * @param sessionId of the publication.
 * @param streamId of the publication.
 * @param initialTermId of the publication.
 * @param termLength of the publication's log in bytes.
 * @param mtu longest frame in bytes.
 * @param position from which the image starts.
 * @param source where it comes from, for people.
 * @param wantsResponses whether its messages are requests, whose sender waits for responses.
 * @param span bytes of the image's log that the transport uses at a time, if it keeps to its room
 *     ({@link io.verbus.memory.LogRoom}); 0 if it needs all of the log from the start.
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
    /** A stream whose image needs all of its log. */
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
     * Shape and identity of an image log for the stream.
     *
     * @param registrationId of the image.
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

    /** The same stream from another position. */
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
