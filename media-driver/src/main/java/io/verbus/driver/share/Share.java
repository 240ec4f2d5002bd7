// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

/** Kinds of driver resources that clients use. */
public enum Share {
    /** Connected clients. */
    CLIENTS("clients", "max-clients"),

    /** Subscriptions; one with a channel longer than 1 KiB counts once per KiB or part of it. */
    SUBSCRIPTIONS("subscriptions", "max-subscriptions"),

    /**
     * References to publications, whether shared or not; weighted by channel like subscriptions.
     */
    PUBLICATIONS("publications", "max-publications"),

    /** Destinations of publications and subscriptions. */
    DESTINATIONS("destinations", "max-destinations"),

    /** Sockets and connections: addresses that channels send from or receive at. */
    ENDPOINTS("endpoints", "max-endpoints"),

    /** Counters of clients and of their registrations; freed ones count while they cool down. */
    COUNTERS("counters", "counter-values-length"),

    /** Counters of subscriber positions in images of remote publications. */
    IMAGE_POSITIONS("image position counters", "counter-values-length"),

    /** Static counters, which outlive the client that adds them. */
    STATIC_COUNTERS("static counters", "max-static-counters"),

    /** Host names being looked up. */
    LOOK_UPS("names being looked up", "max-look-ups"),

    /** Commands that wait for names, transports or logs; weighted by channel like subscriptions. */
    WAITING_COMMANDS("waiting commands", "max-waiting-commands"),

    /** Bytes of publication logs. */
    LOG_BYTES("log bytes", "max-log-bytes");

    private final String plural;
    private final String option;

    Share(String plural, String option) {
        this.plural = plural;
        this.option = option;
    }

    /** Returns the plural name of the counted resource. */
    public String plural() {
        return plural;
    }

    /** Returns the option that limits the total for all clients. */
    public String option() {
        return option;
    }

    /** Returns whether the total depends on the number of counters. */
    public boolean isOfCounters() {
        return this == COUNTERS || this == IMAGE_POSITIONS;
    }
}
