// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.util.Map;
import java.util.OptionalInt;

/**
 * The keys of channels, in the order of their canonical text. Each has the channels that allow it
 * on IPC, RDMA and UDP, its default, the form of its values, and its meaning.
 */
enum ChannelKey {
    ENDPOINT(
            "endpoint",
            new Sides(Side.NONE, Side.BOTH, Side.BOTH),
            "none",
            ValueForm.ADDRESS,
            "Address at which the subscribing driver receives."),

    INTERFACE(
            "interface",
            new Sides(Side.NONE, Side.PUBLICATION, Side.BOTH),
            "any",
            ValueForm.INTERFACE,
            "Local address to send from; over UDP also the interface on which a subscription joins"
                    + " a multicast group."),

    CONTROL(
            "control",
            new Sides(Side.NONE, Side.BOTH, Side.BOTH),
            "none",
            ValueForm.ADDRESS,
            "Address at which receivers announce themselves (dynamic and response publications);"
                    + " over UDP also the source address."),

    CONTROL_MODE(
            "control-mode",
            new Sides(Side.BOTH, Side.BOTH, Side.BOTH),
            "none",
            ValueForm.oneOf(ChannelKey.MANUAL, ChannelKey.DYNAMIC, ChannelKey.RESPONSE),
            "How receivers connect: manual (added by the publisher), dynamic (by announcing"
                    + " themselves) or response (on request)."),

    RESPONSE_ID(
            "response-correlation-id",
            new Sides(Side.PUBLICATION, Side.PUBLICATION, Side.PUBLICATION),
            "none",
            ValueForm.RESPONSE_ID,
            "For requests, the id of the response subscription; for responses, the id of the"
                    + " request image."),

    DEVICE(
            "device",
            new Sides(Side.NONE, Side.BOTH, Side.NONE),
            "any",
            ValueForm.DEVICE,
            "RDMA device that the channel must use."),

    TRAFFIC_CLASS(
            "traffic-class",
            new Sides(Side.NONE, Side.PUBLICATION, Side.NONE),
            "the driver's",
            ValueForm.number(0, 255, 104),
            "Traffic class of the packets sent."),

    DSCP(
            "dscp",
            new Sides(Side.NONE, Side.PUBLICATION, Side.NONE),
            "the driver's",
            ValueForm.number(0, 63, 26),
            "Upper six bits of the traffic class."),

    PATH_MTU(
            "path-mtu",
            new Sides(Side.NONE, Side.BOTH, Side.NONE),
            "the driver's",
            ValueForm.PATH_MTU,
            "Path MTU in bytes that the connection must have."),

    ACK_TIMEOUT(
            "ack-timeout",
            new Sides(Side.NONE, Side.BOTH, Side.NONE),
            "the driver's",
            ValueForm.ACK_TIMEOUT,
            "Time to wait for an acknowledgement before each retry."),

    RETRY_COUNT(
            "retry-count",
            new Sides(Side.NONE, Side.PUBLICATION, Side.NONE),
            "the driver's",
            ValueForm.number(0, 6, 6),
            "Number of transport retries before the connection fails."),

    RNR_RETRY_COUNT(
            "rnr-retry-count",
            new Sides(Side.NONE, Side.BOTH, Side.NONE),
            "the driver's",
            ValueForm.number(0, 7, 7),
            "Number of retries while the peer has no receive posted; 7 means unlimited."),

    TERM_LENGTH(
            "term-length",
            new Sides(Side.PUBLICATION, Side.PUBLICATION, Side.PUBLICATION),
            "the driver's",
            ValueForm.TERM_LENGTH,
            "Length of a term in bytes; a log has three terms."),

    MTU(
            "mtu",
            new Sides(Side.PUBLICATION, Side.PUBLICATION, Side.PUBLICATION),
            "the driver's; at most 1408 over UDP",
            ValueForm.MTU,
            "Maximum frame length in bytes; longer messages are fragmented."),

    WINDOW(
            "window",
            new Sides(Side.NONE, Side.SUBSCRIPTION, Side.SUBSCRIPTION),
            "one term; over UDP the driver's",
            ValueForm.WINDOW,
            "How many bytes a publisher may be ahead of the subscribers at this endpoint."),

    PUBLICATION_WINDOW(
            "pub-wnd",
            new Sides(Side.PUBLICATION, Side.NONE, Side.PUBLICATION),
            "the driver's",
            ValueForm.WINDOW,
            "How many bytes a publisher may be ahead of the sender (over IPC, of the"
                    + " subscribers); from mtu to half a term."),

    SEND_BUFFER(
            "so-sndbuf",
            new Sides(Side.NONE, Side.NONE, Side.BOTH),
            "the driver's",
            ValueForm.SOCKET_BUFFER,
            "Length of the socket's send buffer in bytes, at least mtu."),

    RECEIVE_BUFFER(
            "so-rcvbuf",
            new Sides(Side.NONE, Side.NONE, Side.BOTH),
            "the driver's",
            ValueForm.SOCKET_BUFFER,
            "Length of the socket's receive buffer in bytes, at least the window."),

    NAK_DELAY(
            "nak-delay",
            new Sides(Side.NONE, Side.NONE, Side.SUBSCRIPTION),
            "the driver's",
            ValueForm.TIME_FROM_NONE_TO_AN_HOUR,
            "Time to wait for reordered frames before sending a NAK for a gap, if the stream has no"
                    + " other receivers."),

    MAX_RESEND(
            "max-resend",
            new Sides(Side.NONE, Side.NONE, Side.PUBLICATION),
            "the driver's",
            ValueForm.number(1, 256, 16),
            "Maximum number of ranges retransmitted concurrently; beyond this number, the closest"
                    + " ranges are merged."),

    GROUP(
            "group",
            new Sides(Side.NONE, Side.NONE, Side.SUBSCRIPTION),
            "as the sender signals",
            ValueForm.TRUTH,
            "Whether the stream has other receivers; if so, NAKs are delayed by a random time."),

    RELIABLE(
            "reliable",
            new Sides(Side.NONE, Side.NONE, Side.SUBSCRIPTION),
            "true",
            ValueForm.TRUTH,
            "Whether the receiver requests retransmission of lost frames; otherwise padding"
                    + " replaces them."),

    CONGESTION_CONTROL(
            "cc",
            new Sides(Side.NONE, Side.NONE, Side.SUBSCRIPTION),
            "the driver's",
            ValueForm.oneOf("static", "cubic"),
            "Congestion control: static uses a fixed window, cubic a window that shrinks on loss."),

    FLOW_CONTROL(
            "fc",
            new Sides(Side.NONE, Side.PUBLICATION, Side.PUBLICATION),
            "min; over UDP the driver's",
            ValueForm.FLOW,
            "Flow control: which of several receivers limits the publication."),

    GROUP_TAG(
            "gtag",
            new Sides(Side.NONE, Side.SUBSCRIPTION, Side.SUBSCRIPTION),
            "none; over UDP the driver's",
            ValueForm.GROUP_TAG,
            "Tag of this receiver, which flow control can select."),

    SPIES_CONNECT(
            "ssc",
            new Sides(Side.NONE, Side.PUBLICATION, Side.PUBLICATION),
            "the driver's",
            ValueForm.TRUTH,
            "Whether a publication that only spies read counts as connected."),

    LINGER(
            "linger",
            new Sides(Side.NONE, Side.NONE, Side.PUBLICATION),
            "the driver's",
            ValueForm.TIME_FROM_NONE_TO_AN_HOUR,
            "How long a closed publication continues to retransmit lost frames."),

    TTL(
            "ttl",
            new Sides(Side.NONE, Side.NONE, Side.PUBLICATION),
            "the system's",
            ValueForm.number(0, 255, 4),
            "Maximum number of hops for multicast datagrams."),

    SESSION_ID(
            "session-id",
            new Sides(Side.BOTH, Side.BOTH, Side.BOTH),
            "chosen by the driver; any for a subscription",
            ValueForm.SESSION,
            "Session id of the publication, or the only one that a subscription receives; tag:N"
                    + " means the session of publication tag N."),

    STREAM_ID(
            "stream-id",
            new Sides(Side.BOTH, Side.BOTH, Side.BOTH),
            "any",
            ValueForm.WHOLE_NUMBER,
            "The only stream id that may be used with this channel."),

    TAGS(
            "tags",
            new Sides(Side.BOTH, Side.BOTH, Side.BOTH),
            "none",
            ValueForm.TAGS,
            "Numbers by which other channels refer to this channel's address, and to this"
                    + " publication's session."),

    INITIAL_TERM_ID(
            "init-term-id",
            new Sides(Side.PUBLICATION, Side.PUBLICATION, Side.PUBLICATION),
            "random",
            ValueForm.WHOLE_NUMBER,
            "First term id of the stream; requires term-id and term-offset."),

    TERM_ID(
            "term-id",
            new Sides(Side.PUBLICATION, Side.PUBLICATION, Side.PUBLICATION),
            "the first term",
            ValueForm.WHOLE_NUMBER,
            "Term id at which the publication starts; requires init-term-id and term-offset."),

    TERM_OFFSET(
            "term-offset",
            new Sides(Side.PUBLICATION, Side.PUBLICATION, Side.PUBLICATION),
            "0",
            ValueForm.WHOLE_NUMBER,
            "Offset in bytes within that term at which the publication starts; requires"
                    + " init-term-id and term-id."),

    END_OF_STREAM(
            "eos",
            new Sides(Side.NONE, Side.PUBLICATION, Side.PUBLICATION),
            "true",
            ValueForm.TRUTH,
            "Whether the driver signals the end of a closed publication; otherwise receivers time"
                    + " out."),

    TETHER(
            "tether",
            new Sides(Side.SUBSCRIPTION, Side.SUBSCRIPTION, Side.SUBSCRIPTION),
            "the driver's",
            ValueForm.TRUTH,
            "Whether a slow subscriber back-pressures the publisher; if false, a subscriber that"
                    + " lags too far is detached."),

    REJOIN(
            "rejoin",
            new Sides(Side.SUBSCRIPTION, Side.SUBSCRIPTION, Side.SUBSCRIPTION),
            "the driver's",
            ValueForm.TRUTH,
            "Whether a detached subscriber rejoins, and whether a peer's lost or rejected stream is"
                    + " received again."),

    UNTETHERED_WINDOW_LIMIT(
            "untethered-window-limit-timeout",
            new Sides(Side.PUBLICATION, Side.BOTH, Side.BOTH),
            "the driver's",
            ValueForm.TIME_UP_TO_AN_HOUR,
            "How long a subscriber with tether=false may lag by 3/4 of the window before it is"
                    + " detached."),

    UNTETHERED_LINGER(
            "untethered-linger-timeout",
            new Sides(Side.PUBLICATION, Side.BOTH, Side.BOTH),
            "the driver's",
            ValueForm.TIME_UP_TO_AN_HOUR,
            "How long a detached subscriber continues to back-pressure the stream."),

    UNTETHERED_RESTING(
            "untethered-resting-timeout",
            new Sides(Side.PUBLICATION, Side.BOTH, Side.BOTH),
            "the driver's",
            ValueForm.TIME_UP_TO_AN_HOUR,
            "Time from the end of untethered-linger-timeout until a detached subscriber rejoins."),

    SEND_TIMESTAMP(
            "channel-snd-ts-offset",
            new Sides(Side.NONE, Side.PUBLICATION, Side.PUBLICATION),
            "none",
            ValueForm.TIMESTAMP,
            "Offset in a message for the time of sending, in nanoseconds since the epoch; over"
                    + " RDMA, of the first sending."),

    RECEIVE_TIMESTAMP(
            "channel-rcv-ts-offset",
            new Sides(Side.NONE, Side.NONE, Side.SUBSCRIPTION),
            "none",
            ValueForm.TIMESTAMP,
            "Offset in a message at which the receiving driver writes the time of arrival."),

    MEDIA_TIMESTAMP(
            "media-rcv-ts-offset",
            new Sides(Side.NONE, Side.NONE, Side.SUBSCRIPTION),
            "none",
            ValueForm.TIMESTAMP,
            "Offset in a message at which the receiving driver writes the time of receipt by the"
                    + " kernel or the network adapter."),

    ALIAS(
            "alias",
            new Sides(Side.BOTH, Side.BOTH, Side.BOTH),
            "none",
            ValueForm.LABEL,
            "Human-readable name; the driver ignores it.");

    /** The control mode with destinations that are added one by one. */
    static final String MANUAL = "manual";

    /** The control mode with receivers that announce themselves. */
    static final String DYNAMIC = "dynamic";

    /** The control mode of responses. */
    static final String RESPONSE = "response";

    private static final String AERON_WINDOW = "rcv-wnd";

    private final String text;
    private final Sides sides;
    private final String preset;
    private final ValueForm<Object> form;
    private final String meaning;

    /**
     * @param text name of the key.
     * @param sides channels that allow the key.
     * @param preset human-readable default.
     * @param form form of the key's values.
     * @param meaning meaning of the key, in one sentence.
     */
    @SuppressWarnings("unchecked") // a key's values are all of its form's type
    ChannelKey(String text, Sides sides, String preset, ValueForm<?> form, String meaning) {
        this.text = text;
        this.sides = sides;
        this.preset = preset;
        this.form = (ValueForm<Object>) form;
        this.meaning = meaning;
    }

    /** The channels that allow a key. */
    enum Side {
        NONE,
        PUBLICATION,
        SUBSCRIPTION,
        BOTH
    }

    /** The channels that allow a key, on each media. */
    private record Sides(Side ipc, Side rdma, Side udp) {}

    /** Returns which channels allow the key on a media. */
    Side side(ChannelMedia media) {
        return switch (media) {
            case IPC -> sides.ipc;
            case RDMA -> sides.rdma;
            case UDP -> sides.udp;
        };
    }

    /** Returns the key with the name, or null. */
    static ChannelKey of(String text) {
        for (ChannelKey key : values()) {
            if (key.text.equals(text)) {
                return key;
            }
        }
        return null;
    }

    /** Returns the key with the name in an Aeron channel, or null. */
    static ChannelKey ofAeron(String text) {
        return text.equals(AERON_WINDOW) ? WINDOW : of(text);
    }

    String text() {
        return text;
    }

    /** Returns the human-readable default. */
    String preset() {
        return preset;
    }

    /** Describes valid values. */
    String right() {
        return form.right();
    }

    /** Returns the meaning of the key, in one sentence. */
    String meaning() {
        return meaning;
    }

    /**
     * Parses a value.
     *
     * @throws BusException if the value is invalid for this key.
     */
    Object parse(String value) {
        return form.read(text, value);
    }

    /**
     * Checks a value that an application has set.
     *
     * @param value value of the form's type.
     * @throws BusException if the value is out of range.
     */
    void check(Object value) {
        form.check(text, value);
    }

    /** Returns the key's number among a channel's values; empty if it has none. */
    OptionalInt number(Map<ChannelKey, Object> values) {
        return values.get(this) instanceof Integer number
                ? OptionalInt.of(number)
                : OptionalInt.empty();
    }

    /** Returns the name of the key, in an Aeron or a Verbus channel. */
    String text(boolean isAeron) {
        return isAeron && this == WINDOW ? AERON_WINDOW : text;
    }

    /** Returns the canonical text of a value. */
    String format(Object value) {
        return form.writer().apply(value);
    }
}
