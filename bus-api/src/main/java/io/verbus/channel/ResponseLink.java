// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.Map;

/**
 * The settings of a channel for requests and responses. A requester subscribes with {@code
 * control-mode=response}, and publishes its requests with the id of that subscription. A responder
 * publishes with {@code control-mode=response} and the id of the image that delivers the requests:
 * only that requester receives the responses.
 *
 * @param isResponse whether the channel carries responses.
 * @param correlationId for requests, id of the response subscription; for responses, id of the
 *     request image; {@link #NONE} or {@link #PROTOTYPE}.
 */
public record ResponseLink(boolean isResponse, long correlationId) {
    /** The channel has no id. */
    public static final long NONE = -1;

    /** The publication keeps the address of responses open, and sends none. */
    public static final long PROTOTYPE = -2;

    static final String PROTOTYPE_TEXT = "prototype";

    static ResponseLink of(Map<ChannelKey, Object> values) {
        return new ResponseLink(
                ChannelKey.RESPONSE.equals(values.get(ChannelKey.CONTROL_MODE)),
                values.get(ChannelKey.RESPONSE_ID) instanceof Long id ? id : NONE);
    }

    /** Returns whether a publication sends requests, whose responses a subscription receives. */
    public boolean isRequest() {
        return !isResponse && correlationId >= 0;
    }

    /** Returns whether a publication keeps the address of responses open, and sends none. */
    public boolean isPrototype() {
        return isResponse && correlationId == PROTOTYPE;
    }

    /** Returns whether a publication responds to the requests of an image. */
    public boolean isOfImage() {
        return isResponse && correlationId >= 0;
    }
}
