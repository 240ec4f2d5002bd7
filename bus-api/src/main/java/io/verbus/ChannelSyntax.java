// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import java.util.EnumMap;
import java.util.Map;

/** Reads and writes the text of channels, and checks that their values fit together. */
final class ChannelSyntax {
    private static final String SCHEME = "verbus:";
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
                    "the channel has "
                            + text.length()
                            + " characters, more than "
                            + ChannelUri.MAX_LENGTH
                            + ": shorten it");
        }
        if (!text.startsWith(SCHEME)) {
            throw new BusException(
                    "channel '" + text + "' does not begin with " + SCHEME + ": " + EXAMPLE);
        }
        int question = text.indexOf('?');
        String name = text.substring(SCHEME.length(), question < 0 ? text.length() : question);
        ChannelMedia media = ChannelMedia.of(name);
        if (media == null) {
            throw new BusException(
                    "channel '"
                            + text
                            + "' has unknown media '"
                            + name
                            + "': the known ones are "
                            + ChannelMedia.known());
        }
        EnumMap<ChannelKey, Object> values = new EnumMap<>(ChannelKey.class);
        if (question >= 0) {
            for (String pair : text.substring(question + 1).split("\\|", -1)) {
                addPair(text, media, pair, values);
            }
        }
        return new ChannelUri(media, values);
    }

    private static void addPair(
            String text, ChannelMedia media, String pair, Map<ChannelKey, Object> values) {
        int equals = pair.indexOf('=');
        if (equals < 0) {
            throw new BusException(
                    "channel '"
                            + text
                            + "' holds '"
                            + pair
                            + "', which is not key=value: "
                            + EXAMPLE);
        }
        String name = pair.substring(0, equals);
        ChannelKey key = ChannelKey.of(name);
        if (key == null || !media.allows(key)) {
            throw unknownKey("channel '" + text + "'", media, name);
        }
        Object value;
        try {
            value = key.parse(pair.substring(equals + 1));
        } catch (BusException e) {
            throw new BusException("channel '" + text + "': " + e.getMessage());
        }
        if (values.put(key, value) != null) {
            throw new BusException(
                    "channel '" + text + "' has the key " + name + " twice: keep one of them");
        }
    }

    private static BusException unknownKey(String channel, ChannelMedia media, String name) {
        return new BusException(
                channel
                        + " has the key '"
                        + name
                        + "', which "
                        + media.text()
                        + " does not know: its keys are "
                        + media.knownKeys());
    }

    static String format(ChannelMedia media, Map<ChannelKey, Object> values) {
        StringBuilder text = new StringBuilder(SCHEME).append(media.text());
        char separator = '?';
        for (Map.Entry<ChannelKey, Object> entry : values.entrySet()) {
            ChannelKey key = entry.getKey();
            text.append(separator)
                    .append(key.text())
                    .append('=')
                    .append(key.format(entry.getValue()));
            separator = '|';
        }
        return text.toString();
    }

    static void check(ChannelMedia media, Map<ChannelKey, Object> values, ChannelUri channel) {
        for (ChannelKey key : values.keySet()) {
            if (!media.allows(key)) {
                throw unknownKey("channel '" + channel + "'", media, key.text());
            }
        }
        for (ChannelKey key : media.required()) {
            if (!values.containsKey(key)) {
                throw new BusException(
                        "channel '"
                                + channel
                                + "' has no "
                                + key.text()
                                + ", without which "
                                + media.text()
                                + " cannot work: add "
                                + key.text()
                                + "=VALUE");
            }
        }
        int eighth = channel.termLength() / 8;
        if (channel.mtu() > eighth) {
            throw new BusException(
                    "channel '"
                            + channel
                            + "' has an mtu of "
                            + channel.mtu()
                            + ", more than an eighth of its term length "
                            + channel.termLength()
                            + ": lower mtu to "
                            + eighth
                            + " or raise term-length");
        }
        long twoTerms = 2L * channel.termLength();
        if (channel.hasTermLength() && channel.window().orElse(0) > twoTerms) {
            throw new BusException(
                    "channel '"
                            + channel
                            + "' has a window of "
                            + channel.window().getAsInt()
                            + ", more than two terms of "
                            + channel.termLength()
                            + ": lower window to "
                            + twoTerms
                            + " or raise term-length");
        }
    }
}
