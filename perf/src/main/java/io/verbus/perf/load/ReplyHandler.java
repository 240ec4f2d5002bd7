// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** Takes an echo. */
@FunctionalInterface
public interface ReplyHandler {
    /** What {@link Initiator#send} was given. */
    void onReply(long sequence, long time);
}
