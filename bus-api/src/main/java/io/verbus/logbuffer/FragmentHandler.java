// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** Handles the fragments of a poll. */
@FunctionalInterface
public interface FragmentHandler {
    /**
     * Called on the polling thread for each fragment.
     *
     * @param buffer buffer with the payload. This is the log itself, valid only during the call.
     * @param offset offset of the payload in the buffer.
     * @param length length of the payload in bytes, 0 or more.
     * @param header header of the fragment, valid only during the call.
     */
    void onFragment(DirectBuffer buffer, int offset, int length, Header header);
}
