// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.Header;

import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Puts the fragments of messages together again, for a subscription with any number of images. One
 * thread: the one that polls.
 *
 * <p>A message of one fragment is passed on where it lies, without a copy. The header that is
 * passed on with a longer message is that of the message, as if it had not been cut: flags and
 * length are its own, position is behind its last fragment, and place and reserved value are its
 * first fragment's. Fragments that make up no message, because polling began in the middle of one
 * or its beginning is missing, are dropped.
 *
 * <p>A buffer is taken for each message that is begun and not completed, and grows as needed. A
 * buffer that is free again is kept for the next message, up to 32 MiB of all together; nothing
 * else is allocated. What a session has begun is freed, once its image is closed, when the next
 * message begins, or at once by {@link #freeSession}.
 */
public final class FragmentAssembler implements FragmentHandler {
    /** Two of the longest messages: more that are assembled at once allocate each time. */
    static final long MAX_KEPT = 2L * MessageBuilder.MAX_LENGTH;

    private final FragmentHandler delegate;
    private final Int2ObjectHashMap<MessageBuilder> begun = new Int2ObjectHashMap<>();
    private final ArrayDeque<MessageBuilder> free = new ArrayDeque<>();
    private long kept;

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
        int sessionId = header.sessionId();
        MessageBuilder builder = begun.get(sessionId);
        if (builder == null) {
            if ((flags & FrameHeader.FLAG_BEGIN) == 0) {
                return;
            }
            freeClosed();
            builder = take();
            begun.put(sessionId, builder);
        }
        boolean isComplete = builder.add(buffer, offset, length, header, flags);
        if (isComplete || !builder.isBegun()) {
            begun.remove(sessionId); // first, as the handler may poll
            try {
                if (isComplete) {
                    delegate.onFragment(builder.buffer(), 0, builder.length(), builder.header());
                }
            } finally {
                keep(builder);
            }
        }
    }

    /** Frees what was begun by sessions whose images have gone. */
    private void freeClosed() {
        if (begun.isEmpty()) {
            return;
        }
        Iterator<MessageBuilder> builders = begun.values().iterator();
        while (builders.hasNext()) {
            MessageBuilder builder = builders.next();
            if (!builder.isBegun()) {
                builders.remove();
                keep(builder);
            }
        }
    }

    private MessageBuilder take() {
        MessageBuilder builder = free.pollLast();
        if (builder == null) {
            return new MessageBuilder();
        }
        kept -= builder.capacity();
        return builder;
    }

    private void keep(MessageBuilder builder) {
        builder.clear();
        if (kept + builder.capacity() <= MAX_KEPT) {
            kept += builder.capacity();
            free.addLast(builder);
        }
    }

    /** Bytes of all buffers. */
    long capacity() {
        long bytes = kept;
        for (MessageBuilder builder : begun.values()) {
            bytes += builder.capacity();
        }
        return bytes;
    }

    /**
     * Drops what a session has begun and will not complete, such as when its image becomes
     * unavailable. On the polling thread.
     *
     * @param sessionId of the image.
     * @return whether there was something.
     */
    public boolean freeSession(int sessionId) {
        MessageBuilder builder = begun.remove(sessionId);
        if (builder != null) {
            keep(builder);
        }
        return builder != null;
    }

    /** Drops what all sessions have begun, and frees all buffers. On the polling thread. */
    public void clear() {
        begun.clear();
        free.clear();
        kept = 0;
    }
}
