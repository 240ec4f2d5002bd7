// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** Handles echoes. */
@FunctionalInterface
public interface ReplyHandler {
    /** Receives the values that were passed to {@link Initiator#send}. */
    void onReply(long sequence, long time);
}
