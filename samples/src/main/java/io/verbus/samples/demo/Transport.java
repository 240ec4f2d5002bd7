// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.demo;

import java.util.Locale;

/** What carries the messages. Named in lower case for people. */
enum Transport {
    RDMA,
    IPC;

    /** The media of the channel. */
    String media() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return media();
    }
}
