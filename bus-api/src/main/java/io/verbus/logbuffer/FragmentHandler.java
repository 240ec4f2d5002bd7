// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** Takes the fragments that a poll finds. */
@FunctionalInterface
public interface FragmentHandler {
    /**
     * One fragment. Called on the polling thread.
     *
     * @param buffer that holds the payload; the log itself, valid only during the call.
     * @param offset of the payload in the buffer.
     * @param length of the payload in bytes, 0 or more.
     * @param header of the fragment, valid only during the call.
     */
    void onFragment(DirectBuffer buffer, int offset, int length, Header header);
}
