// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.Header;

import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Puts the fragments of messages together again, for a subscription with any number of images. One
 * thread: the one that polls.
 *
 * <p>A message of one fragment is passed on where it lies, without a copy. The header that is
 * passed on with a longer message is that of its last fragment. Fragments that make up no message,
 * because polling began in the middle of one or its beginning is missing, are dropped.
 *
 * <p>Each session with a message of several fragments has a buffer, which grows as needed and is
 * kept for the next one until {@link #freeSession}. Nothing else is allocated.
 */
public final class FragmentAssembler implements FragmentHandler {
    private final FragmentHandler delegate;
    private final Int2ObjectHashMap<MessageBuilder> builders = new Int2ObjectHashMap<>();

    /**
     * @param delegate called with each whole message.
     */
    public FragmentAssembler(FragmentHandler delegate) {
        this.delegate = delegate;
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        int flags = header.flags();
        if ((flags & FrameHeader.FLAGS_UNFRAGMENTED) == FrameHeader.FLAGS_UNFRAGMENTED) {
            delegate.onFragment(buffer, offset, length, header);
        } else {
            onPart(buffer, offset, length, header, flags);
        }
    }

    private void onPart(DirectBuffer buffer, int offset, int length, Header header, int flags) {
        MessageBuilder builder = builders.get(header.sessionId());
        if (builder == null) {
            if ((flags & FrameHeader.FLAG_BEGIN) == 0) {
                return;
            }
            builder = new MessageBuilder();
            builders.put(header.sessionId(), builder);
        }
        if (builder.add(buffer, offset, length, header, flags)) {
            delegate.onFragment(builder.buffer(), 0, builder.take(), header);
        }
    }

    /**
     * Frees the buffer of a session that has ended, such as when its image becomes unavailable. On
     * the polling thread.
     *
     * @param sessionId of the image.
     * @return whether there was one.
     */
    public boolean freeSession(int sessionId) {
        return builders.remove(sessionId) != null;
    }

    /** Frees the buffers of all sessions. On the polling thread. */
    public void clear() {
        builders.clear();
    }
}
