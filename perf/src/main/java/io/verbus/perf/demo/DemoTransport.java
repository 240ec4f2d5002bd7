// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Transport of the demo's messages. Its display name is lower case. */
public enum DemoTransport {
    RDMA,
    UDP,
    IPC;

    /** Returns the media part of the channel. */
    public String media() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the transport whose channels have the given media. */
    public static Optional<DemoTransport> parse(String media) {
        return Stream.of(values()).filter(transport -> transport.media().equals(media)).findAny();
    }

    @Override
    public String toString() {
        return media();
    }
}
