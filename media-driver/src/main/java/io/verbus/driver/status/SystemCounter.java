// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

/** Counters of the driver as a whole; the ordinal is the counter's key. */
public enum SystemCounter {
    /** Written by every agent. */
    ERRORS("errors"),
    HEARTBEAT("driver heartbeat, ms since the epoch"),
    COMMANDS("commands"),
    COMMANDS_MALFORMED("commands malformed"),
    COMMANDS_FAILED("commands failed"),
    CLIENTS("clients"),
    CLIENTS_TIMED_OUT("clients timed out"),
    PUBLICATIONS("publications"),
    SUBSCRIPTIONS("subscriptions"),
    IMAGES("images"),
    IMAGES_LOST("images lost"),
    IMAGES_REJECTED("images rejected"),
    UNBLOCKED("claims unblocked"),
    COMMANDS_UNBLOCKED("commands unblocked"),
    LOG_BYTES("bytes of logs mapped"),
    IMAGES_INVALID("images ended for what their senders sent");

    private final String label;

    SystemCounter(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
