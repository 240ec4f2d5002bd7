// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

/**
 * The keys that channels may have, in the order of their canonical text: whose channel may have one
 * on IPC, RDMA and UDP, what holds without it, what its values look like, and what it means.
 */
enum ChannelKey {
    ENDPOINT(
            "endpoint",
            Side.NONE,
            Side.BOTH,
            Side.BOTH,
            "none",
            ValueForm.ADDRESS,
            "Where the subscribing driver receives."),

    INTERFACE(
            "interface",
            Side.NONE,
            Side.PUBLICATION,
            Side.BOTH,
            "any",
            ValueForm.INTERFACE,
            "Local address that sends; over UDP also the interface on which a subscription joins a"
                    + " group."),

    CONTROL(
            "control",
            Side.NONE,
            Side.BOTH,
            Side.BOTH,
            "none",
            ValueForm.ADDRESS,
            "Where receivers announce themselves to a publication that is dynamic or responds; over"
                    + " UDP also where it is sent from."),

    CONTROL_MODE(
            "control-mode",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "none",
            ValueForm.oneOf(ChannelKey.MANUAL, ChannelKey.DYNAMIC, ChannelKey.RESPONSE),
            "How receivers come: manual, one by one; dynamic, by themselves; response, by asking."),

    RESPONSE_ID(
            "response-correlation-id",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "none",
            ValueForm.RESPONSE_ID,
            "Of requests, the id of the subscription to responses; of responses, of the image of"
                    + " requests."),

    DEVICE(
            "device",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "any",
            ValueForm.DEVICE,
            "RDMA device that must carry the channel."),

    TRAFFIC_CLASS(
            "traffic-class",
            Side.NONE,
            Side.PUBLICATION,
            Side.NONE,
            "the driver's",
            ValueForm.number(0, 255, 104),
            "Traffic class of the packets."),

    DSCP(
            "dscp",
            Side.NONE,
            Side.PUBLICATION,
            Side.NONE,
            "the driver's",
            ValueForm.number(0, 63, 26),
            "The upper six bits of the traffic class."),

    PATH_MTU(
            "path-mtu",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "the driver's",
            ValueForm.PATH_MTU,
            "Bytes that packets must carry."),

    ACK_TIMEOUT(
            "ack-timeout",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "the driver's",
            ValueForm.ACK_TIMEOUT,
            "Time that an acknowledgement may take."),

    RETRY_COUNT(
            "retry-count",
            Side.NONE,
            Side.PUBLICATION,
            Side.NONE,
            "the driver's",
            ValueForm.number(0, 6, 6),
            "Transport retries before the connection fails."),

    RNR_RETRY_COUNT(
            "rnr-retry-count",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "the driver's",
            ValueForm.number(0, 7, 7),
            "Retries while the peer has no receive posted; 7 retries for ever."),

    TERM_LENGTH(
            "term-length",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.TERM_LENGTH,
            "Bytes of a term; a log has three."),

    MTU(
            "mtu",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the driver's; over UDP 1408 at most",
            ValueForm.MTU,
            "Bytes of the longest frame; longer messages are fragmented."),

    WINDOW(
            "window",
            Side.NONE,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "one term; over UDP the driver's",
            ValueForm.WINDOW,
            "Bytes that a publisher may be ahead of the subscribers at this endpoint."),

    PUBLICATION_WINDOW(
            "pub-wnd",
            Side.PUBLICATION,
            Side.NONE,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.WINDOW,
            "Bytes that a publisher may be ahead of the sender, or through shared memory of the"
                    + " subscribers: from mtu to half a term."),

    SEND_BUFFER(
            "so-sndbuf",
            Side.NONE,
            Side.NONE,
            Side.BOTH,
            "the driver's",
            ValueForm.SOCKET_BUFFER,
            "Bytes of the socket's send buffer, no less than mtu."),

    RECEIVE_BUFFER(
            "so-rcvbuf",
            Side.NONE,
            Side.NONE,
            Side.BOTH,
            "the driver's",
            ValueForm.SOCKET_BUFFER,
            "Bytes of the socket's receive buffer, no less than the window."),

    NAK_DELAY(
            "nak-delay",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "the driver's",
            ValueForm.TIME_FROM_NONE_TO_AN_HOUR,
            "Time for which a gap may be reordering, where the stream has no other receivers."),

    MAX_RESEND(
            "max-resend",
            Side.NONE,
            Side.NONE,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.number(1, 256, 16),
            "Ranges that may be sent again at a time; of more the closest are joined."),

    GROUP(
            "group",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "what the sender says",
            ValueForm.TRUTH,
            "Whether others receive the stream too, so that NAKs are put off by a random time."),

    RELIABLE(
            "reliable",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "true",
            ValueForm.TRUTH,
            "Whether the receiver asks again for what was lost; otherwise padding takes its"
                    + " place."),

    CONGESTION_CONTROL(
            "cc",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "the driver's",
            ValueForm.oneOf("static", "cubic"),
            "Congestion control: a fixed window, or one that losses narrow."),

    FLOW_CONTROL(
            "fc",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.FLOW,
            "Which of several receivers decides how far the publication goes."),

    GROUP_TAG(
            "gtag",
            Side.NONE,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "none",
            ValueForm.GROUP_TAG,
            "Tag of this receiver, by which flow control can choose it."),

    SPIES_CONNECT(
            "ssc",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "false",
            ValueForm.TRUTH,
            "Whether a publication that only spies read is connected and goes on."),

    LINGER(
            "linger",
            Side.NONE,
            Side.NONE,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.TIME_FROM_NONE_TO_AN_HOUR,
            "Time for which a closed publication still answers for what was lost."),

    TTL(
            "ttl",
            Side.NONE,
            Side.NONE,
            Side.PUBLICATION,
            "the system's",
            ValueForm.number(0, 255, 4),
            "Hops that datagrams may take."),

    SESSION_ID(
            "session-id",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "the driver's choice; any for a subscription",
            ValueForm.SESSION,
            "Session of the publication, or the one that a subscription takes; tag:N is that of the"
                    + " publication of that tag."),

    STREAM_ID(
            "stream-id",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "any",
            ValueForm.WHOLE_NUMBER,
            "Stream that may be added on the channel, and no other."),

    TAGS(
            "tags",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "none",
            ValueForm.TAGS,
            "Numbers by which other channels name this one's place, and this publication."),

    INITIAL_TERM_ID(
            "init-term-id",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "a random one",
            ValueForm.WHOLE_NUMBER,
            "First term of the stream; with term-id and term-offset."),

    TERM_ID(
            "term-id",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the first",
            ValueForm.WHOLE_NUMBER,
            "Term in which the publication begins; with init-term-id and term-offset."),

    TERM_OFFSET(
            "term-offset",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "0",
            ValueForm.WHOLE_NUMBER,
            "Bytes at which the publication begins in there; with init-term-id and term-id."),

    END_OF_STREAM(
            "eos",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "true",
            ValueForm.TRUTH,
            "Whether receivers are told that a closed publication has ended; otherwise they find it"
                    + " silent."),

    TETHER(
            "tether",
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "the driver's",
            ValueForm.TRUTH,
            "Whether the subscriber holds the stream back; one that does not is let go where it is"
                    + " too far behind."),

    REJOIN(
            "rejoin",
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "the driver's",
            ValueForm.TRUTH,
            "Whether a subscriber that was let go joins again, and a stream of a peer that was lost"
                    + " or rejected is received again."),

    UNTETHERED_WINDOW_LIMIT(
            "untethered-window-limit-timeout",
            Side.PUBLICATION,
            Side.BOTH,
            Side.BOTH,
            "the driver's",
            ValueForm.TIME_UP_TO_AN_HOUR,
            "Time too far behind, after which a subscriber with tether=false is let go."),

    UNTETHERED_LINGER(
            "untethered-linger-timeout",
            Side.PUBLICATION,
            Side.BOTH,
            Side.BOTH,
            "the driver's",
            ValueForm.TIME_UP_TO_AN_HOUR,
            "Time for which a subscriber that was let go still holds the stream back."),

    UNTETHERED_RESTING(
            "untethered-resting-timeout",
            Side.PUBLICATION,
            Side.BOTH,
            Side.BOTH,
            "the driver's",
            ValueForm.TIME_UP_TO_AN_HOUR,
            "Time after that, until the subscriber joins again."),

    SEND_TIMESTAMP(
            "channel-snd-ts-offset",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "none",
            ValueForm.TIMESTAMP,
            "Where in a message the sending driver writes the time, as nanoseconds since the"
                    + " epoch."),

    RECEIVE_TIMESTAMP(
            "channel-rcv-ts-offset",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "none",
            ValueForm.TIMESTAMP,
            "Where in a message the receiving driver writes the time of its arrival."),

    ALIAS("alias", Side.BOTH, Side.BOTH, Side.BOTH, "none", ValueForm.LABEL, "Name for people.");

    /** The control mode of destinations that are added one by one. */
    static final String MANUAL = "manual";

    /** The control mode of destinations that come by themselves. */
    static final String DYNAMIC = "dynamic";

    /** The control mode of responses. */
    static final String RESPONSE = "response";

    private static final String AERON_WINDOW = "rcv-wnd";

    private final String text;
    private final Side ipc;
    private final Side rdma;
    private final Side udp;
    private final String preset;
    private final ValueForm form;
    private final String meaning;

    /**
     * @param text name of the key.
     * @param ipc whose channel may have it on shared memory.
     * @param rdma whose channel may have it over RDMA.
     * @param udp whose channel may have it over UDP.
     * @param preset what holds without the key, for people.
     * @param form of its values.
     * @param meaning one sentence.
     */
    ChannelKey(
            String text,
            Side ipc,
            Side rdma,
            Side udp,
            String preset,
            ValueForm form,
            String meaning) {
        this.text = text;
        this.ipc = ipc;
        this.rdma = rdma;
        this.udp = udp;
        this.preset = preset;
        this.form = form;
        this.meaning = meaning;
    }

    /** Whose channel may have a key. */
    enum Side {
        NONE,
        PUBLICATION,
        SUBSCRIPTION,
        BOTH
    }

    /** Whose channel may have the key on a media. */
    Side side(ChannelMedia media) {
        return switch (media) {
            case IPC -> ipc;
            case RDMA -> rdma;
            case UDP -> udp;
        };
    }

    /** The key of the given name, or null. */
    static ChannelKey of(String text) {
        for (ChannelKey key : values()) {
            if (key.text.equals(text)) {
                return key;
            }
        }
        return null;
    }

    /** The key of the given name in a channel of Aeron, or null. */
    static ChannelKey ofAeron(String text) {
        return text.equals(AERON_WINDOW) ? WINDOW : of(text);
    }

    String text() {
        return text;
    }

    /** What holds without the key, for people. */
    String preset() {
        return preset;
    }

    /** What a value must be, for people. */
    String right() {
        return form.right();
    }

    /** What the key does, in one sentence. */
    String meaning() {
        return meaning;
    }

    /**
     * Reads a value.
     *
     * @throws BusException if it is none of this key.
     */
    Object parse(String value) {
        return form.read(text, value);
    }

    /** The name, as a channel of Aeron or another has it. */
    String text(boolean isAeron) {
        return isAeron && this == WINDOW ? AERON_WINDOW : text;
    }

    /** The one text of a value. */
    String format(Object value) {
        return form.writer().apply(value);
    }
}
