// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** Takes the fragments that a controlled poll finds, and says how it shall go on. */
@FunctionalInterface
public interface ControlledFragmentHandler {
    /** How a controlled poll goes on after a fragment. */
    enum Action {
        /** Stop, and deliver this fragment again in the next poll. */
        ABORT,
        /** Stop after this fragment. */
        BREAK,
        /** Publish the position behind this fragment now, then go on. */
        COMMIT,
        /** Go on; the position is published when the poll ends. */
        CONTINUE
    }

    /**
     * One fragment. Called on the polling thread.
     *
     * @param buffer that holds the payload; the log itself, valid only during the call.
     * @param offset of the payload in the buffer.
     * @param length of the payload in bytes, 0 or more.
     * @param header of the fragment, valid only during the call.
     * @return how to go on; null is taken for an exception.
     */
    Action onFragment(DirectBuffer buffer, int offset, int length, Header header);
}
