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
            "Address at which the subscribing driver receives."),

    INTERFACE(
            "interface",
            Side.NONE,
            Side.PUBLICATION,
            Side.BOTH,
            "any",
            ValueForm.INTERFACE,
            "Local address to send from; over UDP also the interface on which a subscription joins"
                    + " a group."),

    CONTROL(
            "control",
            Side.NONE,
            Side.BOTH,
            Side.BOTH,
            "none",
            ValueForm.ADDRESS,
            "Address at which receivers announce themselves to a dynamic or response publication;"
                    + " over UDP also its local address."),

    CONTROL_MODE(
            "control-mode",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "none",
            ValueForm.oneOf(ChannelKey.MANUAL, ChannelKey.DYNAMIC, ChannelKey.RESPONSE),
            "How receivers are added: manual, one by one; dynamic, by announcing themselves;"
                    + " response, by requesting a session."),

    RESPONSE_ID(
            "response-correlation-id",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "none",
            ValueForm.RESPONSE_ID,
            "For requests, the id of the subscription to the responses; for responses, the id of"
                    + " the requests' image."),

    DEVICE(
            "device",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "any",
            ValueForm.DEVICE,
            "RDMA device that the channel must use."),

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
            "Upper six bits of the traffic class."),

    PATH_MTU(
            "path-mtu",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "the driver's",
            ValueForm.PATH_MTU,
            "Path MTU that the connection must have."),

    ACK_TIMEOUT(
            "ack-timeout",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "the driver's",
            ValueForm.ACK_TIMEOUT,
            "Time to wait for an acknowledgement."),

    RETRY_COUNT(
            "retry-count",
            Side.NONE,
            Side.PUBLICATION,
            Side.NONE,
            "the driver's",
            ValueForm.number(0, 6, 6),
            "Number of transport retries before the connection fails."),

    RNR_RETRY_COUNT(
            "rnr-retry-count",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "the driver's",
            ValueForm.number(0, 7, 7),
            "Number of retries while the peer has no receive posted; 7 means unlimited."),

    TERM_LENGTH(
            "term-length",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.TERM_LENGTH,
            "Length of a term in bytes; a log has three."),

    MTU(
            "mtu",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the driver's; over UDP 1408 at most",
            ValueForm.MTU,
            "Length of the longest frame in bytes; longer messages are fragmented."),

    WINDOW(
            "window",
            Side.NONE,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "one term; over UDP the driver's",
            ValueForm.WINDOW,
            "Bytes that a sender may be ahead of the subscribers at this endpoint."),

    PUBLICATION_WINDOW(
            "pub-wnd",
            Side.PUBLICATION,
            Side.NONE,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.WINDOW,
            "Bytes that a publisher may be ahead of the sender, or over IPC of the subscribers:"
                    + " from mtu to half a term."),

    SEND_BUFFER(
            "so-sndbuf",
            Side.NONE,
            Side.NONE,
            Side.BOTH,
            "the driver's",
            ValueForm.SOCKET_BUFFER,
            "Size of the socket's send buffer in bytes, at least mtu."),

    RECEIVE_BUFFER(
            "so-rcvbuf",
            Side.NONE,
            Side.NONE,
            Side.BOTH,
            "the driver's",
            ValueForm.SOCKET_BUFFER,
            "Size of the socket's receive buffer in bytes, at least the window."),

    NAK_DELAY(
            "nak-delay",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "the driver's",
            ValueForm.TIME_FROM_NONE_TO_AN_HOUR,
            "Time to wait for reordered frames before a NAK, if the stream has no other"
                    + " receivers."),

    MAX_RESEND(
            "max-resend",
            Side.NONE,
            Side.NONE,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.number(1, 256, 16),
            "Maximum number of ranges that are retransmitted at a time; beyond it the closest are"
                    + " joined."),

    GROUP(
            "group",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "the sender's choice",
            ValueForm.TRUTH,
            "Whether the stream has other receivers, so that NAKs are delayed by a random time."),

    RELIABLE(
            "reliable",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "true",
            ValueForm.TRUTH,
            "Whether the receiver requests lost frames again; if not, it fills gaps with padding."),

    CONGESTION_CONTROL(
            "cc",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "the driver's",
            ValueForm.oneOf("static", "cubic"),
            "Congestion control: a fixed window, or one that losses reduce."),

    FLOW_CONTROL(
            "fc",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.FLOW,
            "Flow control: which of several receivers determine how far the publication may"
                    + " advance."),

    GROUP_TAG(
            "gtag",
            Side.NONE,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "none",
            ValueForm.GROUP_TAG,
            "Tag of this receiver, for tagged flow control."),

    SPIES_CONNECT(
            "ssc",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "false",
            ValueForm.TRUTH,
            "Whether a publication with only spies is connected."),

    LINGER(
            "linger",
            Side.NONE,
            Side.NONE,
            Side.PUBLICATION,
            "the driver's",
            ValueForm.TIME_FROM_NONE_TO_AN_HOUR,
            "Time for which a closed publication still answers NAKs."),

    TTL(
            "ttl",
            Side.NONE,
            Side.NONE,
            Side.PUBLICATION,
            "the system's",
            ValueForm.number(0, 255, 4),
            "Maximum number of hops of datagrams."),

    SESSION_ID(
            "session-id",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "the driver's choice; any for a subscription",
            ValueForm.SESSION,
            "Session id of the publication, or the only one that a subscription accepts; tag:N is"
                    + " that of the publication with the tag."),

    STREAM_ID(
            "stream-id",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "any",
            ValueForm.WHOLE_NUMBER,
            "Only stream id that may be added on the channel."),

    TAGS(
            "tags",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "none",
            ValueForm.TAGS,
            "Numbers by which other channels refer to this channel's endpoint, and to this"
                    + " publication."),

    INITIAL_TERM_ID(
            "init-term-id",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "a random one",
            ValueForm.WHOLE_NUMBER,
            "Id of the stream's first term; requires term-id and term-offset."),

    TERM_ID(
            "term-id",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the first",
            ValueForm.WHOLE_NUMBER,
            "Id of the term in which the publication starts; requires init-term-id and"
                    + " term-offset."),

    TERM_OFFSET(
            "term-offset",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "0",
            ValueForm.WHOLE_NUMBER,
            "Offset in bytes in that term at which the publication starts; requires init-term-id"
                    + " and term-id."),

    END_OF_STREAM(
            "eos",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "true",
            ValueForm.TRUTH,
            "Whether a closed publication tells its receivers that it has ended; if not, their"
                    + " images time out."),

    TETHER(
            "tether",
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "the driver's",
            ValueForm.TRUTH,
            "Whether the subscriber holds the stream back; if not, the driver detaches it when it"
                    + " is too far behind."),

    REJOIN(
            "rejoin",
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "the driver's",
            ValueForm.TRUTH,
            "Whether a detached subscriber rejoins, and a lost or rejected stream of a peer is"
                    + " received again."),

    UNTETHERED_WINDOW_LIMIT(
            "untethered-window-limit-timeout",
            Side.PUBLICATION,
            Side.BOTH,
            Side.BOTH,
            "the driver's",
            ValueForm.TIME_UP_TO_AN_HOUR,
            "How long an untethered subscriber may lag by 3/4 of the window before the driver"
                    + " detaches it."),

    UNTETHERED_LINGER(
            "untethered-linger-timeout",
            Side.PUBLICATION,
            Side.BOTH,
            Side.BOTH,
            "the driver's",
            ValueForm.TIME_UP_TO_AN_HOUR,
            "How long the position of a detached subscriber still counts."),

    UNTETHERED_RESTING(
            "untethered-resting-timeout",
            Side.PUBLICATION,
            Side.BOTH,
            Side.BOTH,
            "the driver's",
            ValueForm.TIME_UP_TO_AN_HOUR,
            "Time after that until a detached subscriber rejoins."),

    SEND_TIMESTAMP(
            "channel-snd-ts-offset",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "none",
            ValueForm.TIMESTAMP,
            "Offset in each message at which the sending driver writes the time, in nanoseconds"
                    + " since the epoch."),

    RECEIVE_TIMESTAMP(
            "channel-rcv-ts-offset",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "none",
            ValueForm.TIMESTAMP,
            "Offset in each message at which the receiving driver writes its arrival time."),

    ALIAS(
            "alias",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "none",
            ValueForm.LABEL,
            "Label for tools, without effect.");

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
