// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What can carry a channel, and the keys that a channel may have there. */
enum ChannelMedia {
    IPC(EnumSet.noneOf(ChannelKey.class)),
    RDMA(
            EnumSet.of(
                    ChannelKey.ENDPOINT,
                    ChannelKey.INTERFACE,
                    ChannelKey.CONTROL_MODE,
                    ChannelKey.WINDOW,
                    ChannelKey.DEVICE,
                    ChannelKey.TRAFFIC_CLASS,
                    ChannelKey.DSCP,
                    ChannelKey.PATH_MTU,
                    ChannelKey.ACK_TIMEOUT,
                    ChannelKey.RETRY_COUNT,
                    ChannelKey.RNR_RETRY_COUNT,
                    ChannelKey.FLOW_CONTROL,
                    ChannelKey.GROUP_TAG,
                    ChannelKey.SPIES_CONNECT)),
    UDP(
            EnumSet.of(
                    ChannelKey.ENDPOINT,
                    ChannelKey.INTERFACE,
                    ChannelKey.CONTROL,
                    ChannelKey.CONTROL_MODE,
                    ChannelKey.WINDOW,
                    ChannelKey.RELIABLE,
                    ChannelKey.CONGESTION_CONTROL,
                    ChannelKey.FLOW_CONTROL,
                    ChannelKey.GROUP_TAG,
                    ChannelKey.SPIES_CONNECT,
                    ChannelKey.LINGER,
                    ChannelKey.TTL));

    private static final Set<ChannelKey> COMMON =
            EnumSet.of(
                    ChannelKey.TERM_LENGTH,
                    ChannelKey.MTU,
                    ChannelKey.SESSION_ID,
                    ChannelKey.ALIAS);

    private final Set<ChannelKey> own;

    ChannelMedia(Set<ChannelKey> own) {
        this.own = own;
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

    boolean allows(ChannelKey key) {
        return own.contains(key) || COMMON.contains(key);
    }

    String knownKeys() {
        return Arrays.stream(ChannelKey.values())
                .filter(this::allows)
                .map(ChannelKey::text)
                .collect(Collectors.joining(", "));
    }
}
