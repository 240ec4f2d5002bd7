// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What befalls a cluster while orders come in. Named in lower case for people. */
enum ClusterFault {
    /** The leader's process is killed, its driver with it. */
    LEADER("kills member %d, which leads"),

    /** The leader's driver is killed, which is a process of its own here. */
    DRIVER("kills the driver of member %d, which leads"),

    /** A follower's process is stopped for longer than its image at the leader lives. */
    FOLLOWER("stops member %d, which follows, for 15 s"),

    /** All members end in good order. */
    RESTART("ends all members in good order"),

    /** All members are killed. */
    OUTAGE("kills all members");

    private final String words;

    ClusterFault(String words) {
        this.words = words;
    }

    /** What is done, in words. */
    String words(int member) {
        return String.format(Locale.ROOT, words, member);
    }

    /** Whether all members fail, not one. */
    boolean isOfAll() {
        return this == RESTART || this == OUTAGE;
    }

    /** The fault of that name. */
    static Optional<ClusterFault> parse(String name) {
        return Stream.of(values()).filter(fault -> fault.toString().equals(name)).findAny();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
