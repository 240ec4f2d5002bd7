// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Fault injected into the cluster while it processes orders. Its display name is lower case. */
enum ClusterFault {
    /** Kills the leader's process including its driver. */
    LEADER("kills the leader, member %d"),

    /** Kills the leader's driver, which is a separate process in this case. */
    DRIVER("kills the driver of the leader, member %d"),

    /** Suspends a follower's process for longer than the image liveness time-out at the leader. */
    FOLLOWER("suspends a follower, member %d, for 15 s"),

    /** Shuts down all members cleanly. */
    RESTART("shuts down all members cleanly"),

    /** Kills all members. */
    OUTAGE("kills all members");

    private final String words;

    ClusterFault(String words) {
        this.words = words;
    }

    /** Describes the fault. */
    String words(int member) {
        return String.format(Locale.ROOT, words, member);
    }

    /** Returns whether the fault affects all members. */
    boolean isOfAll() {
        return this == RESTART || this == OUTAGE;
    }

    /** Returns the fault with a display name. */
    static Optional<ClusterFault> parse(String name) {
        return Stream.of(values()).filter(fault -> fault.toString().equals(name)).findAny();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
