// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.util.Arrays;
import java.util.Map;
import java.util.OptionalInt;

/** Checks that the values of a channel are consistent, and what a channel can be used for. */
final class ChannelRules {
    private static final String CONTROL_ALONE =
            "has control without endpoint: add control-mode=dynamic to publish, or"
                    + " endpoint=host:port to subscribe";

    private ChannelRules() {}

    /**
     * Returns a channel, after checking that its values are consistent and allowed on its media.
     *
     * @throws BusException if not.
     */
    static ChannelUri checked(ChannelUri channel) {
        ChannelMedia media = channel.carrier();
        Map<ChannelKey, Object> values = channel.values();
        for (ChannelKey key : values.keySet()) {
            if (!media.allows(key)) {
                throw ChannelSyntax.unknownKey("channel '" + channel + "'", media, key.text());
            }
        }
        if (media == ChannelMedia.IPC) {
            refuse(
                    channel.isManual() || channel.isDynamic(),
                    channel,
                    "has a control-mode for destinations, which ipc does not support: remove"
                            + " control-mode");
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
                "has only some of init-term-id, term-id and term-offset, which together set where a"
                        + " publication starts: set all three, or none");
        refuse(
                values.containsKey(ChannelKey.TRAFFIC_CLASS) && values.containsKey(ChannelKey.DSCP),
                channel,
                "has both traffic-class and dscp, which sets the upper six bits of the traffic"
                        + " class: remove traffic-class or dscp");
        if (channel.isAeron()) {
            channel.start(); // checks that a frame can start there
        } else {
            checkLengths(channel);
        }
        return channel;
    }

    /** Returns whether the channel is located by a tag alone. */
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
                                + ": set "
                                + key.text()
                                + " in each destination");
            }
            return;
        }
        if (channel.response().isResponse()) {
            refuse(
                    !hasControl && !channel.isAeron(),
                    channel,
                    "has control-mode=response without control: add control=host:port, the address"
                            + " from which responses are sent");
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
                "has no endpoint, which " + media.text() + " requires: add endpoint=host:port");
        checkOneReceiver(channel.isSpy(), channel);
        refuse(
                media == ChannelMedia.RDMA
                        && values.containsKey(ChannelKey.FLOW_CONTROL)
                        && !channel.isDynamic(),
                channel,
                "has fc, but only one receiver: remove fc, or use control-mode=manual or dynamic");
    }

    /**
     * Rejects a dynamic publication with an endpoint, which only its subscriptions have. A spy has
     * the channel of the publication.
     */
    private static void checkOneReceiver(boolean isPublication, ChannelUri channel) {
        refuse(
                isPublication && channel.isDynamic() && channel.hasEndpoint() && !channel.isAeron(),
                channel,
                "has both control-mode=dynamic and endpoint, to which nothing would be sent: remove"
                        + " endpoint, or control-mode=dynamic");
    }

    /** Returns whether the channel has control but neither endpoint nor control-mode. */
    private static boolean isControlAlone(ChannelUri channel, Map<ChannelKey, Object> values) {
        return values.containsKey(ChannelKey.CONTROL)
                && !values.containsKey(ChannelKey.ENDPOINT)
                && !values.containsKey(ChannelKey.CONTROL_MODE);
    }

    /** Rejects values that RDMA does not support although it supports their keys. */
    private static void checkOverRdma(ChannelUri channel) {
        FlowChoice flow = channel.flow();
        refuse(
                flow != null && flow.timeout() != null,
                channel,
                "has t:TIME in fc, which RDMA does not support, because a receiver leaves when its"
                        + " connection ends: remove t:TIME");
        refuse(
                flow != null
                        && flow.strategy() == FlowChoice.Strategy.TAGGED
                        && flow.tag().isEmpty(),
                channel,
                "has fc=tagged without a tag: add one, such as fc=tagged,g:7");
        refuse(
                channel.localInterface() != null && channel.localInterface().port() != 0,
                channel,
                "has a port in interface, but over RDMA the system chooses the local port: remove"
                        + " the port");
    }

    static boolean isOfConnection(ChannelKey key) {
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

    /** Checks the lengths of a publication's log; an Aeron subscription ignores them. */
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
     * Rejects rejoin=false for a tethered local subscriber: its stream ends with its publication.
     */
    private static void checkRejoin(ChannelUri channel) {
        refuse(
                !channel.isAeron()
                        && (channel.isIpc() || channel.isSpy())
                        && channel.tether().isTethered()
                        && !channel.tether().rejoins(),
                channel,
                "has rejoin=false, which has no effect on a tethered subscriber on the same host:"
                        + " add tether=false, or remove rejoin");
    }

    /** Rejects a media timestamp that would overwrite another timestamp, or be overwritten. */
    private static void checkTimestamps(ChannelUri channel) {
        TimestampSettings timestamps = channel.timestamps();
        refuse(
                areOverlapping(timestamps.media(), timestamps.receive()),
                channel,
                "has media-rcv-ts-offset and channel-rcv-ts-offset, which overlap: set them at"
                        + " least 8 bytes apart");
        refuse(
                areOverlapping(timestamps.media(), timestamps.send()),
                channel,
                "has media-rcv-ts-offset and channel-snd-ts-offset, which overlap: set them at"
                        + " least 8 bytes apart");
    }

    private static boolean areOverlapping(OptionalInt one, OptionalInt other) {
        return one.isPresent()
                && other.isPresent()
                && Math.abs(one.getAsInt() - other.getAsInt()) < Long.BYTES;
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
                "is a spy channel, which only a subscription can use: publish on a channel that"
                        + " starts with verbus:");
        refuse(isControlAlone(channel, values), channel, CONTROL_ALONE);
        checkOneReceiver(true, channel);
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
                    "has control-mode=response without response-correlation-id: set it to the id of"
                            + " the image whose requests are answered, or to prototype");
            refuse(
                    !channel.isIpc() && channel.control() == null,
                    channel,
                    "has control-mode=response without control: add control=host:port, the address"
                            + " from which responses are sent");
        }
    }

    static void checkPorts(ChannelUri channel, Map<ChannelKey, Object> values) {
        refuse(
                isPortless(values.get(ChannelKey.ENDPOINT)),
                channel,
                "has port 0, which only a subscription can use: set the port on which the"
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
                "has no endpoint, which a subscription requires: add endpoint=host:port, or "
                        + "use verbus-spy: to read a publication of the same driver");
        refuse(
                channel.sessionTag().isPresent(),
                channel,
                "has a session-id that refers to a tag, which only a publication can use: set a"
                        + " numeric session-id");
        checkRejoin(channel);
        checkTimestamps(channel);
        refuse(
                isPortless(values.get(ChannelKey.CONTROL)),
                channel,
                "has port 0 in control: set the port of the publication's control address");
    }

    static void checkStream(ChannelUri channel, Map<ChannelKey, Object> values, int streamId) {
        int named = ChannelKey.STREAM_ID.number(values).orElse(streamId);
        refuse(
                named != streamId,
                channel,
                "has stream-id "
                        + named
                        + ", but stream "
                        + streamId
                        + " is being added: add stream "
                        + named
                        + ", or remove stream-id");
    }

    private static void checkConnectable(ChannelUri channel) {
        if (channel.hasEndpoint() && channel.control() != null && !channel.isAeron()) {
            throw new UnsupportedChannelException(
                    "channel '"
                            + channel
                            + "' has both endpoint and control, but RDMA does not send from a fixed"
                            + " port: remove control, and set interface if needed");
        }
    }

    /** Throws the error for a channel that breaks a rule. */
    static void refuse(boolean isWrong, ChannelUri channel, String what) {
        if (isWrong) {
            throw new InvalidChannelException("channel '" + channel + "' " + what);
        }
    }
}
