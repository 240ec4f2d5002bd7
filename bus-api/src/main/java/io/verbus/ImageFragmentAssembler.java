// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.Header;

import org.agrona.DirectBuffer;

/** Reassembles the fragmented messages of a single image, like {@link FragmentAssembler}. */
public final class ImageFragmentAssembler implements FragmentHandler {
    private final FragmentHandler delegate;
    private final MessageBuilder builder = new MessageBuilder();

    /**
     * Creates an assembler.
     *
     * @param delegate handler to call with each complete message.
     */
    public ImageFragmentAssembler(FragmentHandler delegate) {
        this.delegate = delegate;
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        int flags = header.flags();
        if ((flags & FrameHeader.FLAGS_UNFRAGMENTED) == FrameHeader.FLAGS_UNFRAGMENTED) {
            delegate.onFragment(buffer, offset, length, header);
        } else if (builder.add(buffer, offset, length, header, flags)) {
            delegate.onFragment(builder.buffer(), 0, builder.length(), builder.header());
        }
    }
}
