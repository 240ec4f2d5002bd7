// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import org.agrona.concurrent.status.CountersReader;

/**
 * State of a client's publication or subscription, as its counter shows it: the counter's value is
 * the ordinal, and the label holds the channel, media and reason.
 *
 * <pre>
 *   name: registrationId sessionId streamId channel | media | reason
 * </pre>
 *
 * The channel is as the client wrote it, cut to {@link #MAX_CHANNEL} characters. The reason is
 * absent unless the driver knows one. A connected publication has a reason while an open claim
 * holds it back; it begins with {@link #OPEN_CLAIM}.
 */
public enum RegistrationState {
    /** Has not been connected yet. */
    WAITING,

    /** A publication has a receiver, a subscription an image. */
    CONNECTED,

    /** Was connected, but its last receiver or image has left. */
    LEFT;

    /** Maximum number of characters of a channel in a label. */
    public static final int MAX_CHANNEL = 200;

    /** Begins the reason of a connected publication that an open claim holds back. */
    public static final String OPEN_CLAIM = "a claim at position ";

    /** Separates the parts of a label. A channel's key neither begins nor ends with a space. */
    private static final String SEPARATOR = " | ";

    private static final RegistrationState[] ALL = values();

    /**
     * Parts of a label.
     *
     * @param channel channel as the client wrote it; may be cut.
     * @param media media of the transport; empty if the label has none.
     * @param reason why the stream is not connected, or what holds it back; empty if the driver
     *     does not know.
     */
    public record Label(String channel, String media, String reason) {}

    /** Returns the state for a counter's value; {@link #WAITING} for an unknown one. */
    public static RegistrationState of(long value) {
        return value >= 0 && value < ALL.length ? ALL[(int) value] : WAITING;
    }

    /**
     * Returns a label.
     *
     * @param begin label of a stream's counter, up to the channel.
     * @param media media of the transport.
     * @param reason why the stream is not connected, or what holds it back; may be empty.
     */
    public static String label(String begin, String media, String reason) {
        String label = begin + SEPARATOR + media;
        if (reason.isEmpty()) {
            return label;
        }
        String full = label + SEPARATOR + reason;
        return full.length() <= CountersReader.MAX_LABEL_LENGTH
                ? full
                : full.substring(0, CountersReader.MAX_LABEL_LENGTH - 2) + "..";
    }

    /** Splits a label into its parts; missing parts are empty. */
    public static Label parse(String label) {
        String[] parts = label.split(" \\| ", 3);
        int channel = 0;
        for (int fields = 0; fields < 4 && channel >= 0; fields++) {
            channel = parts[0].indexOf(' ', channel) + 1;
            channel = channel == 0 ? -1 : channel;
        }
        return new Label(
                channel < 0 ? "" : parts[0].substring(channel),
                parts.length > 1 ? parts[1] : "",
                parts.length > 2 ? parts[2] : "");
    }
}
