// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Parses and formats channels. {@link ChannelRules} checks that their values are consistent. */
final class ChannelSyntax {
    private static final String SCHEME = "verbus:";
    private static final String SPY_SCHEME = "verbus-spy:";
    private static final String AERON_SCHEME = "aeron:";
    private static final String AERON_SPY_SCHEME = "aeron-spy:aeron:";

    private static final String EXAMPLE =
            "write verbus:ipc, verbus:rdma?endpoint=host:port or verbus:udp?endpoint=host:port,"
                    + " with |key=value for each further key";

    private ChannelSyntax() {}

    static ChannelUri parse(String text) {
        if (text == null) {
            throw new BusException("the channel is null: " + EXAMPLE);
        }
        if (text.length() > ChannelUri.MAX_LENGTH) {
            throw new BusException(
                    "URI length ("
                            + text.length()
                            + ") exceeds max supported length ("
                            + ChannelUri.MAX_LENGTH
                            + "): shorten the channel");
        }
        boolean isAeron = text.startsWith(AERON_SCHEME) || text.startsWith(AERON_SPY_SCHEME);
        boolean isSpy = text.startsWith(isAeron ? AERON_SPY_SCHEME : SPY_SCHEME);
        String scheme = scheme(isAeron, isSpy);
        if (!text.startsWith(scheme)) {
            throw new BusException(
                    "channel '"
                            + text
                            + "' does not begin with '"
                            + SCHEME
                            + "' or '"
                            + AERON_SCHEME
                            + "': "
                            + EXAMPLE);
        }
        int question = text.indexOf('?');
        String name = text.substring(scheme.length(), question < 0 ? text.length() : question);
        ChannelMedia media = ChannelMedia.of(name);
        if (media == null) {
            throw new BusException(
                    "channel '"
                            + text
                            + "' has unknown media '"
                            + name
                            + "': use one of "
                            + ChannelMedia.known());
        }
        EnumMap<ChannelKey, Object> values = new EnumMap<>(ChannelKey.class);
        Map<ChannelKey, BusException> faults = new EnumMap<>(ChannelKey.class);
        if (question >= 0) {
            for (String pair : text.substring(question + 1).split("\\|", -1)) {
                if (isAeron) {
                    addAeronPair(text, media, pair, values, faults);
                } else {
                    addPair(text, media, pair, values);
                }
            }
        }
        check(media, values, faults);
        return ChannelRules.checked(new ChannelUri(media, isAeron, isSpy, values, faults, text));
    }

    private static String scheme(boolean isAeron, boolean isSpy) {
        if (isAeron) {
            return isSpy ? AERON_SPY_SCHEME : AERON_SCHEME;
        }
        return isSpy ? SPY_SCHEME : SCHEME;
    }

    /** Adds a pair as Aeron does, ignoring keys that are unknown or have no effect on the media. */
    private static void addAeronPair(
            String text,
            ChannelMedia media,
            String pair,
            Map<ChannelKey, Object> values,
            Map<ChannelKey, BusException> faults) {
        int equals = pair.indexOf('=');
        if (equals < 0) {
            throw notAPair(text, pair);
        }
        String name = pair.substring(0, equals);
        String value = pair.substring(equals + 1);
        ChannelKey key = ChannelKey.ofAeron(name);
        boolean isKnown = key != null && media.allows(key);
        boolean isIdle =
                media == ChannelMedia.IPC
                        && (key == ChannelKey.END_OF_STREAM
                                || isOfReceipt(key)
                                || key == ChannelKey.CONTROL_MODE
                                        && !value.equals(ChannelKey.RESPONSE));
        if (isIdle) {
            return;
        }
        if (!isKnown && isOfReceipt(key) && !value.isEmpty()) {
            faults.put(
                    key,
                    new UnsupportedChannelException(
                            "channel '"
                                    + text
                                    + "' has "
                                    + pair
                                    + ", which RDMA does not support, because a one-sided Write"
                                    + " does not notify the receiver: set channel-snd-ts-offset on"
                                    + " the publication"));
        }
        String translated = isKnown ? AeronValues.translate(key, value) : null;
        values.remove(key); // the last value of a repeated key wins
        if (isKnown) {
            faults.remove(key);
        }
        if (translated != null) {
            try {
                values.put(key, value(text, key, translated));
            } catch (BusException e) {
                faults.put(key, e);
            }
        }
    }

    /** Returns whether a key, which may be null, asks for the time of receipt. */
    private static boolean isOfReceipt(ChannelKey key) {
        return key == ChannelKey.RECEIVE_TIMESTAMP || key == ChannelKey.MEDIA_TIMESTAMP;
    }

    /**
     * Throws the first fault in a key that both ends read; keeps faults in keys that only one end
     * reads.
     */
    private static void check(
            ChannelMedia media,
            Map<ChannelKey, Object> values,
            Map<ChannelKey, BusException> faults) {
        boolean isMulticast =
                values.get(ChannelKey.ENDPOINT) instanceof Endpoint endpoint
                        && endpoint.isMulticast();
        if (!isMulticast) {
            faults.remove(ChannelKey.TTL); // it has no effect
        }
        faults.forEach(
                (key, fault) -> {
                    if (key == ChannelKey.TTL || key.side(media) == ChannelKey.Side.BOTH) {
                        throw fault;
                    }
                });
    }

    private static void addPair(
            String text, ChannelMedia media, String pair, Map<ChannelKey, Object> values) {
        int equals = pair.indexOf('=');
        if (equals < 0) {
            throw notAPair(text, pair);
        }
        String name = pair.substring(0, equals);
        ChannelKey key = ChannelKey.of(name);
        if (key == null || !media.allows(key)) {
            throw unknownKey("channel '" + text + "'", media, name);
        }
        if (values.put(key, value(text, key, pair.substring(equals + 1))) != null) {
            throw new BusException(
                    "channel '" + text + "' has the key " + name + " twice: set it only once");
        }
    }

    private static BusException notAPair(String text, String pair) {
        return new BusException(
                "channel '"
                        + text
                        + "' contains '"
                        + pair
                        + "', which is not of the form key=value: "
                        + EXAMPLE);
    }

    private static Object value(String text, ChannelKey key, String value) {
        try {
            return key.parse(value);
        } catch (BusException e) {
            throw new InvalidChannelException("channel '" + text + "': " + e.getMessage());
        }
    }

    static BusException unknownKey(String channel, ChannelMedia media, String name) {
        return new BusException(
                channel
                        + " has the key '"
                        + name
                        + "', which "
                        + media.text()
                        + " does not support"
                        + Spelling.hint(name, List.of(media.knownKeys().split(", ")))
                        + ": use one of "
                        + media.knownKeys());
    }

    static String format(
            ChannelMedia media, boolean isAeron, boolean isSpy, Map<ChannelKey, Object> values) {
        StringBuilder text = new StringBuilder(scheme(isAeron, isSpy)).append(media.text());
        char separator = '?';
        for (Map.Entry<ChannelKey, Object> entry : values.entrySet()) {
            ChannelKey key = entry.getKey();
            text.append(separator)
                    .append(key.text(isAeron))
                    .append('=')
                    .append(key.format(entry.getValue()));
            separator = '|';
        }
        return text.toString();
    }
}
