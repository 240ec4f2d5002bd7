// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What the values of a channel must be together, and for what the channel can be used. */
final class ChannelRules {
    /** The keys that say where a channel leads. */
    static final List<ChannelKey> PLACE =
            List.of(
                    ChannelKey.ENDPOINT,
                    ChannelKey.INTERFACE,
                    ChannelKey.CONTROL,
                    ChannelKey.CONTROL_MODE);

    /** Those that a destination may not have, be it of a publication or of a subscription. */
    private static final List<ChannelKey> NOT_OF_DESTINATIONS =
            List.of(
                    ChannelKey.MTU,
                    ChannelKey.WINDOW,
                    ChannelKey.SEND_BUFFER,
                    ChannelKey.RECEIVE_BUFFER);

    /** Those that say what becomes of a slow reader, whatever brings the stream. */
    private static final List<ChannelKey> OF_READERS =
            List.of(
                    ChannelKey.TETHER,
                    ChannelKey.REJOIN,
                    ChannelKey.UNTETHERED_WINDOW_LIMIT,
                    ChannelKey.UNTETHERED_LINGER,
                    ChannelKey.UNTETHERED_RESTING);

    private static final String CONTROL_ALONE =
            "has control without endpoint: add control-mode=dynamic to publish, or"
                    + " endpoint=host:port to subscribe";

    private ChannelRules() {}

    /**
     * Checks that the values fit together and to the media.
     *
     * @throws BusException if not.
     */
    static void check(ChannelMedia media, Map<ChannelKey, Object> values, ChannelUri channel) {
        for (ChannelKey key : values.keySet()) {
            if (!media.allows(key)) {
                throw ChannelSyntax.unknownKey("channel '" + channel + "'", media, key.text());
            }
        }
        if (media == ChannelMedia.IPC) {
            refuse(
                    channel.isManual() || channel.isDynamic(),
                    channel,
                    "has a control-mode of destinations, which ipc does not have: remove it");
        } else if (!isTagged(channel, values)) {
            checkPlace(media, values, channel);
        }
        if (media == ChannelMedia.RDMA && !channel.isAeron()) {
            checkOverRdma(channel);
        }
        refuse(
                !hasAllOrNone(
                        values,
                        ChannelKey.INITIAL_TERM_ID,
                        ChannelKey.TERM_ID,
                        ChannelKey.TERM_OFFSET),
                channel,
                "has some of init-term-id, term-id and term-offset, which say together where a"
                        + " publication begins: name all three, or none");
        refuse(
                values.containsKey(ChannelKey.TRAFFIC_CLASS) && values.containsKey(ChannelKey.DSCP),
                channel,
                "has a traffic-class and a dscp, which is the upper six bits of one: keep one of"
                        + " them");
        if (channel.isAeron()) {
            channel.start(); // checks that it is the place of a frame
        } else {
            checkLengths(channel);
        }
    }

    /** Whether the channel names its place by a tag alone. */
    private static boolean isTagged(ChannelUri channel, Map<ChannelKey, Object> values) {
        return channel.tags().place().isPresent()
                && hasAllOrNone(
                        values, ChannelKey.ENDPOINT, ChannelKey.CONTROL, ChannelKey.CONTROL_MODE)
                && !values.containsKey(ChannelKey.ENDPOINT);
    }

    private static boolean hasAllOrNone(Map<ChannelKey, Object> values, ChannelKey... keys) {
        long count = Arrays.stream(keys).filter(values::containsKey).count();
        return count == 0 || count == keys.length;
    }

    private static void checkPlace(
            ChannelMedia media, Map<ChannelKey, Object> values, ChannelUri channel) {
        boolean hasEndpoint = values.containsKey(ChannelKey.ENDPOINT);
        boolean hasControl = values.containsKey(ChannelKey.CONTROL);
        if (channel.isManual()) {
            refuse(
                    !channel.isAeron() && (hasEndpoint || hasControl),
                    channel,
                    "has both control-mode=manual and an address: remove "
                            + (hasEndpoint ? "endpoint" : "control")
                            + ", and add it as a destination of the publication");
            for (ChannelKey key : values.keySet()) {
                refuse(
                        media == ChannelMedia.RDMA && isOfConnection(key),
                        channel,
                        "has control-mode=manual and "
                                + key.text()
                                + ": name the "
                                + key.text()
                                + " in each destination");
            }
            return;
        }
        if (channel.response().isResponse()) {
            refuse(
                    !hasControl && !channel.isAeron(),
                    channel,
                    "has control-mode=response without control: add control=host:port, where the"
                            + " responses are sent from");
            return;
        }
        refuse(
                channel.isDynamic() && !hasControl,
                channel,
                "has control-mode=dynamic without control: add control=host:port, where receivers"
                        + " announce themselves");
        refuse(isControlAlone(channel, values) && !channel.isAeron(), channel, CONTROL_ALONE);
        refuse(
                !hasEndpoint && !hasControl,
                channel,
                "has no endpoint, without which "
                        + media.text()
                        + " cannot work: add endpoint=VALUE");
        refuse(
                channel.isDynamic() && hasEndpoint && !channel.isAeron(),
                channel,
                "has control-mode=dynamic and endpoint, to which nothing would be sent: remove one"
                        + " of them");
        refuse(
                media == ChannelMedia.RDMA
                        && values.containsKey(ChannelKey.FLOW_CONTROL)
                        && !channel.isDynamic(),
                channel,
                "has one receiver, for which there is no choice of flow control: remove fc, or use"
                        + " control-mode=manual or dynamic");
    }

    /** Where receivers announce themselves, and nothing that says who sends or receives. */
    private static boolean isControlAlone(ChannelUri channel, Map<ChannelKey, Object> values) {
        return values.containsKey(ChannelKey.CONTROL)
                && !values.containsKey(ChannelKey.ENDPOINT)
                && !values.containsKey(ChannelKey.CONTROL_MODE);
    }

    /** What RDMA has no use for, though it knows the keys. */
    private static void checkOverRdma(ChannelUri channel) {
        FlowChoice flow = channel.flow();
        refuse(
                flow != null && flow.timeout() != null,
                channel,
                "has t:TIME in fc, and over RDMA a receiver leaves with its connection: remove it");
        refuse(
                flow != null
                        && flow.strategy() == FlowChoice.Strategy.TAGGED
                        && flow.tag().isEmpty(),
                channel,
                "has fc=tagged without a tag: name one, such as fc=tagged,g:7");
        refuse(
                channel.localInterface() != null && channel.localInterface().port() != 0,
                channel,
                "has a port in interface, and the system chooses those that connect: remove it");
    }

    private static boolean isOfConnection(ChannelKey key) {
        return switch (key) {
            case INTERFACE,
                    DEVICE,
                    TRAFFIC_CLASS,
                    DSCP,
                    PATH_MTU,
                    ACK_TIMEOUT,
                    RETRY_COUNT,
                    RNR_RETRY_COUNT ->
                    true;
            default -> false;
        };
    }

    /** Lengths of a publication's log; of an Aeron subscription they mean nothing. */
    private static void checkLengths(ChannelUri channel) {
        StreamStart start = channel.start();
        if (start != null && channel.hasTermLength()) {
            start.position(channel.termLength());
        }
        int eighth = channel.termLength() / 8;
        refuse(
                channel.mtu() > eighth,
                channel,
                "has an mtu of "
                        + channel.mtu()
                        + ", more than an eighth of its term length "
                        + channel.termLength()
                        + ": lower mtu to "
                        + eighth
                        + " or raise term-length");
        long twoTerms = 2L * channel.termLength();
        refuse(
                !channel.isAeron()
                        && channel.hasTermLength()
                        && channel.window().orElse(0) > twoTerms,
                channel,
                "has a window of "
                        + channel.window().orElse(0)
                        + ", more than two terms of "
                        + channel.termLength()
                        + ": lower window to "
                        + twoTerms
                        + " or raise term-length");
    }

    /**
     * The values that one end of a stream reads: one text may configure both ends, and each ignores
     * the other's keys. A spy reads the publication's channel.
     */
    static EnumMap<ChannelKey, Object> valuesOf(
            ChannelKey.Side end, ChannelUri channel, Map<ChannelKey, Object> values) {
        ChannelKey.Side read = channel.isSpy() ? ChannelKey.Side.PUBLICATION : end;
        EnumMap<ChannelKey, Object> kept = new EnumMap<>(ChannelKey.class);
        values.forEach(
                (key, value) -> {
                    ChannelKey.Side side = key.side(channel.carrier());
                    if (side == read
                            || side == ChannelKey.Side.BOTH
                            || channel.isSpy() && isOfReader(key)) {
                        kept.put(key, value);
                    }
                });
        return kept;
    }

    /** Whether a key says what becomes of one reader of a log, whatever brings the stream. */
    private static boolean isOfReader(ChannelKey key) {
        return key == ChannelKey.TETHER || key == ChannelKey.REJOIN;
    }

    /** Over shared memory a stream ends with its publication: only a reader can come back. */
    private static void checkRejoin(ChannelUri channel) {
        refuse(
                !channel.isAeron()
                        && (channel.isIpc() || channel.isSpy())
                        && channel.tether().isTethered()
                        && !channel.tether().rejoins(),
                channel,
                "has rejoin=false, which has no effect on a subscriber in the same host that is"
                        + " never let go: add tether=false, or leave it out");
    }

    static void checkPublishable(
            ChannelUri channel,
            Map<ChannelKey, Object> values,
            Map<ChannelKey, BusException> faults) {
        faults.forEach(
                (key, fault) -> {
                    if (key.side(channel.carrier()) == ChannelKey.Side.PUBLICATION) {
                        throw fault;
                    }
                });
        if (channel.isAeron()) {
            checkLengths(channel);
        }
        refuse(
                channel.isSpy(),
                channel,
                "is a spy's, which only a subscription can be: write verbus: to publish");
        refuse(isControlAlone(channel, values), channel, CONTROL_ALONE);
        checkPorts(channel, values);
        checkResponses(channel);
        if (channel.carrier() == ChannelMedia.RDMA) {
            checkConnectable(channel);
        }
    }

    private static void checkResponses(ChannelUri channel) {
        if (channel.response().isResponse()) {
            refuse(
                    channel.response().correlationId() == ResponseLink.NONE,
                    channel,
                    "has control-mode=response without response-correlation-id: name the id of the"
                            + " image whose requests are answered, or prototype");
            refuse(
                    !channel.isIpc() && channel.control() == null,
                    channel,
                    "has control-mode=response without control: add control=host:port, where the"
                            + " responses are sent from");
        }
    }

    private static void checkPorts(ChannelUri channel, Map<ChannelKey, Object> values) {
        refuse(
                isPortless(values.get(ChannelKey.ENDPOINT)),
                channel,
                "has port 0, which only a subscription can use: name the port at which the"
                        + " subscribing driver listens");
    }

    private static boolean isPortless(Object endpoint) {
        return endpoint instanceof Endpoint address && address.port() == 0;
    }

    static void checkSubscribable(
            ChannelUri channel,
            Map<ChannelKey, Object> values,
            Map<ChannelKey, BusException> faults) {
        faults.forEach(
                (key, fault) -> {
                    if (key.side(channel.carrier()) != ChannelKey.Side.PUBLICATION) {
                        throw fault;
                    }
                });
        refuse(
                !channel.isIpc()
                        && !channel.isSpy()
                        && !values.containsKey(ChannelKey.ENDPOINT)
                        && !channel.isManual()
                        && !channel.response().isResponse()
                        && !(channel.isAeron() && values.containsKey(ChannelKey.CONTROL))
                        && !isTagged(channel, values),
                channel,
                "has no endpoint, where a subscription receives: add endpoint=host:port, or write"
                        + " verbus-spy: to read a publication of the same driver");
        refuse(
                channel.sessionTag().isPresent(),
                channel,
                "has the session-id of a tag, as only a publication can: name the session itself");
        checkRejoin(channel);
        refuse(
                isPortless(values.get(ChannelKey.CONTROL)),
                channel,
                "has port 0 in control: name the port of the publication");
    }

    /** Checks that a channel can be a destination of a subscription. */
    static void checkReceiveDestination(
            ChannelUri channel,
            Map<ChannelKey, Object> values,
            Map<ChannelKey, BusException> faults) {
        refuse(
                !values.containsKey(ChannelKey.ENDPOINT)
                        && !(channel.isAeron() && values.containsKey(ChannelKey.CONTROL)),
                channel,
                "has no endpoint, where a destination receives: add endpoint=host:port");
        for (ChannelKey key : NOT_OF_DESTINATIONS) {
            refuse(
                    values.containsKey(key),
                    channel,
                    "has the key "
                            + key.text(channel.isAeron())
                            + ", which belongs to the subscription's own channel: name it there");
        }
        for (ChannelKey key : OF_READERS) {
            refuse(
                    values.containsKey(key) && !channel.isAeron(),
                    channel,
                    "has the key "
                            + key.text()
                            + ", which belongs to the subscription's own channel: name it there");
        }
        checkSubscribable(channel, values, faults);
    }

    static void checkDestination(ChannelUri channel, Map<ChannelKey, Object> values) {
        refuse(
                channel.isSpy(),
                channel,
                "is a spy's, and spies are invalid as destinations: name one as"
                        + " verbus:rdma?endpoint=host:port or verbus:udp?endpoint=host:port");
        for (ChannelKey key : values.keySet()) {
            boolean isOfDestination =
                    switch (key) {
                        case ENDPOINT, ALIAS -> true;
                        case CONTROL_MODE, MTU, WINDOW, SEND_BUFFER, RECEIVE_BUFFER -> false;
                        default ->
                                channel.isAeron()
                                        || isOfConnection(key)
                                                && channel.media().equals(ChannelMedia.RDMA.text());
                    };
            refuse(
                    !isOfDestination,
                    channel,
                    "has the key "
                            + key.text(channel.isAeron())
                            + ", which belongs to the publication's own channel: a destination is"
                            + " no more than endpoint=host:port"
                            + (channel.media().equals(ChannelMedia.RDMA.text())
                                    ? ", and interface=ADDRESS if need be"
                                    : ""));
        }
        refuse(
                channel.isIpc(),
                channel,
                "is no destination: name one as verbus:rdma?endpoint=host:port or"
                        + " verbus:udp?endpoint=host:port");
        refuse(
                !values.containsKey(ChannelKey.ENDPOINT),
                channel,
                "has no endpoint, which a destination is: add endpoint=host:port");
        checkPorts(channel, values);
    }

    static ChannelUri overRdma(ChannelUri channel, Map<ChannelKey, Object> values) {
        refuseOverRdma(
                channel.receiveTimestamp().isPresent(),
                channel,
                "when a message arrives, as a one-sided Write tells the receiver nothing: have the"
                        + " publication name channel-snd-ts-offset");
        EnumMap<ChannelKey, Object> kept = new EnumMap<>(ChannelKey.class);
        values.forEach(
                (key, value) -> {
                    boolean isOfOneReceiver =
                            key == ChannelKey.FLOW_CONTROL
                                    && !channel.isManual()
                                    && !channel.isDynamic();
                    boolean isOfDestinations = isOfConnection(key) && channel.isManual();
                    if (ChannelMedia.RDMA.allows(key) && !isOfOneReceiver && !isOfDestinations) {
                        kept.put(key, value);
                    }
                });
        return new ChannelUri(
                ChannelMedia.RDMA, true, channel.isSpy(), kept, Map.of(), channel.written());
    }

    static ChannelUri toReceiver(ChannelUri channel, Map<ChannelKey, Object> values, String to) {
        EnumMap<ChannelKey, Object> kept = new EnumMap<>(ChannelKey.class);
        values.forEach(
                (key, value) -> {
                    if (isOfConnection(key)) {
                        kept.put(key, value);
                    }
                });
        kept.put(ChannelKey.ENDPOINT, Endpoint.parse(to));
        return new ChannelUri(channel.carrier(), channel.isAeron(), false, kept);
    }

    static void checkConnectable(ChannelUri channel) {
        if (channel.hasEndpoint() && channel.control() != null && !channel.isAeron()) {
            throw new UnsupportedChannelException(
                    "channel '"
                            + channel
                            + "' has endpoint and control, and RDMA does not send from a port of"
                            + " its own: leave control out, and name an interface if need be");
        }
    }

    private static void refuseOverRdma(boolean isWrong, ChannelUri channel, String what) {
        if (isWrong) {
            throw new UnsupportedChannelException(
                    "channel '"
                            + channel
                            + "' leads to a network of rdma.networks, and RDMA does not know "
                            + what);
        }
    }

    private static void refuse(boolean isWrong, ChannelUri channel, String what) {
        if (isWrong) {
            throw new InvalidChannelException("channel '" + channel + "' " + what);
        }
    }
}
