// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** Handles the fragments of a controlled poll, and controls how the poll continues. */
@FunctionalInterface
public interface ControlledFragmentHandler {
    /** How a controlled poll continues after a fragment. */
    enum Action {
        /** Stops, and delivers this fragment again in the next poll. */
        ABORT,
        /** Stops after this fragment. */
        BREAK,
        /** Publishes the position after this fragment now, then continues. */
        COMMIT,
        /** Continues; the position is published when the poll ends. */
        CONTINUE
    }

    /**
     * Called on the polling thread for each fragment.
     *
     * @param buffer buffer with the payload; the log itself, valid only during the call.
     * @param offset offset of the payload in the buffer.
     * @param length length of the payload in bytes, 0 or more.
     * @param header header of the fragment, valid only during the call.
     * @return how the poll continues; null is treated as an exception.
     */
    Action onFragment(DirectBuffer buffer, int offset, int length, Header header);
}
