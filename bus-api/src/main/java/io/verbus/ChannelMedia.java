// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What can carry a channel, and the keys that a channel may have there. */
enum ChannelMedia {
    IPC(EnumSet.noneOf(ChannelKey.class), EnumSet.noneOf(ChannelKey.class)),
    RDMA(EnumSet.of(ChannelKey.ENDPOINT), EnumSet.of(ChannelKey.INTERFACE, ChannelKey.WINDOW)),
    UDP(
            EnumSet.of(ChannelKey.ENDPOINT),
            EnumSet.of(
                    ChannelKey.INTERFACE,
                    ChannelKey.WINDOW,
                    ChannelKey.RELIABLE,
                    ChannelKey.FLOW_CONTROL,
                    ChannelKey.GROUP_TAG,
                    ChannelKey.LINGER,
                    ChannelKey.TTL));

    private static final Set<ChannelKey> COMMON =
            EnumSet.of(
                    ChannelKey.TERM_LENGTH,
                    ChannelKey.MTU,
                    ChannelKey.SESSION_ID,
                    ChannelKey.ALIAS);

    private final Set<ChannelKey> required;
    private final Set<ChannelKey> optional;

    ChannelMedia(Set<ChannelKey> required, Set<ChannelKey> optional) {
        this.required = required;
        this.optional = optional;
    }

    /** The media of the given name, or null. */
    static ChannelMedia of(String text) {
        for (ChannelMedia media : values()) {
            if (media.text().equals(text)) {
                return media;
            }
        }
        return null;
    }

    static String known() {
        return Arrays.stream(values()).map(ChannelMedia::text).collect(Collectors.joining(", "));
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    Set<ChannelKey> required() {
        return required;
    }

    boolean allows(ChannelKey key) {
        return required.contains(key) || optional.contains(key) || COMMON.contains(key);
    }

    String knownKeys() {
        return Arrays.stream(ChannelKey.values())
                .filter(this::allows)
                .map(ChannelKey::text)
                .collect(Collectors.joining(", "));
    }
}
