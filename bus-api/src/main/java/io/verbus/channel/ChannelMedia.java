// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The media that carry channels; {@link ChannelKey} specifies the keys of each. */
enum ChannelMedia {
    IPC,
    RDMA,
    UDP;

    /** Returns the media with the name, or null. */
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
        return key.side(this) != ChannelKey.Side.NONE;
    }

    String knownKeys() {
        return Arrays.stream(ChannelKey.values())
                .filter(this::allows)
                .map(ChannelKey::text)
                .collect(Collectors.joining(", "));
    }
}
