// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

/** What clients make the driver hold, by kind. */
public enum Share {
    /** Clients that the driver knows. */
    CLIENTS("clients", "max-clients"),

    /** Subscriptions; one with a channel of more than 1 KiB counts for each KiB begun. */
    SUBSCRIPTIONS("subscriptions", "max-subscriptions"),

    /** Publications as clients add them, shared or not; with channels as for subscriptions. */
    PUBLICATIONS("publications", "max-publications"),

    /** Destinations of publications and subscriptions. */
    DESTINATIONS("destinations", "max-destinations"),

    /** Sockets and connections: places where channels are sent from, or received at. */
    ENDPOINTS("endpoints", "max-endpoints"),

    /** Counters of clients, and of what they have added; freed ones while they cool down. */
    COUNTERS("counters", "counter-values-length"),

    /** Counters for the positions of subscribers in images of remote publications. */
    IMAGE_POSITIONS("counters of positions in images", "counter-values-length"),

    /** Static counters, which outlive the client that adds them. */
    STATIC_COUNTERS("static counters", "max-static-counters"),

    /** Names of hosts that are being looked up. */
    LOOK_UPS("names being looked up", "max-look-ups"),

    /** Commands that wait for names, transports and logs; with channels as for subscriptions. */
    WAITING_COMMANDS("waiting commands", "max-waiting-commands"),

    /** Bytes of the logs of publications. */
    LOG_BYTES("bytes of logs", "max-log-bytes");

    private final String plural;
    private final String option;

    Share(String plural, String option) {
        this.plural = plural;
        this.option = option;
    }

    /** What is counted, for people. */
    public String plural() {
        return plural;
    }

    /** The option that sets how much of it all clients together may have. */
    public String option() {
        return option;
    }

    /** Whether its total follows from how many counters the driver has. */
    public boolean isOfCounters() {
        return this == COUNTERS || this == IMAGE_POSITIONS;
    }
}
