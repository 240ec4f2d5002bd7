// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What carries the messages. Named in lower case for people. */
public enum DemoTransport {
    RDMA,
    UDP,
    IPC;

    /** The media of the channel. */
    public String media() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The transport whose channels have that media. */
    public static Optional<DemoTransport> parse(String media) {
        return Stream.of(values()).filter(transport -> transport.media().equals(media)).findAny();
    }

    @Override
    public String toString() {
        return media();
    }
}
