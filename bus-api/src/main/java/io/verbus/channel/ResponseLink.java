// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.Map;

/**
 * What a channel says of requests and responses. A requester subscribes with {@code
 * control-mode=response}, and publishes its requests with the id of that subscription. Who answers
 * publishes with {@code control-mode=response} and the id of the image that the requests come in:
 * the responses go to that requester alone.
 *
 * @param isResponse whether the channel is of responses.
 * @param correlationId of a request, the id of the subscription to its responses; of responses, the
 *     id of the request's image; {@link #NONE} or {@link #PROTOTYPE}.
 */
public record ResponseLink(boolean isResponse, long correlationId) {
    /** The channel names no id. */
    public static final long NONE = -1;

    /** The publication holds the place of responses open, and responds to nobody. */
    public static final long PROTOTYPE = -2;

    static final String PROTOTYPE_TEXT = "prototype";

    static ResponseLink of(Map<ChannelKey, Object> values) {
        return new ResponseLink(
                ChannelKey.RESPONSE.equals(values.get(ChannelKey.CONTROL_MODE)),
                values.get(ChannelKey.RESPONSE_ID) instanceof Long id ? id : NONE);
    }

    /** Whether a publication's messages are requests, whose responses a subscription takes. */
    public boolean isRequest() {
        return !isResponse && correlationId >= 0;
    }

    /** Whether a publication holds the place of responses open, and is never written. */
    public boolean isPrototype() {
        return isResponse && correlationId == PROTOTYPE;
    }

    /** Whether a publication responds to the requests of an image. */
    public boolean isOfImage() {
        return isResponse && correlationId >= 0;
    }
}
