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
 * Reassembles fragmented messages of a subscription with any number of images. Used by the polling
 * thread only.
 *
 * <pre>{@code
 * FragmentAssembler assembler =
 *         new FragmentAssembler(
 *                 (buffer, offset, length, header) -> onMessage(buffer, offset, length));
 * int fragments = subscription.poll(assembler, 10);
 * }</pre>
 *
 * <p>A message that consists of one fragment is passed on in place, without being copied. For a
 * longer message, the delegate gets a header as if the message had not been fragmented: with flags
 * and length of the whole message, the position after its last fragment, and the term offset and
 * reserved value of its first fragment. Fragments of incomplete messages are dropped, for example
 * when polling starts in the middle of a message.
 *
 * <p>Each incomplete message occupies a buffer, which grows as needed. Buffers are reused, up to 32
 * MiB in total; nothing else is allocated. Once a session's image is closed, the session's
 * incomplete message is freed when the next message starts, or immediately by {@link #freeSession}.
 */
public final class FragmentAssembler implements FragmentHandler {
    /**
     * Maximum number of bytes in buffers kept for reuse: the size of two messages of maximum
     * length. Beyond that, a buffer is allocated for each message.
     */
    static final long MAX_KEPT = 2L * MessageBuilder.MAX_LENGTH;

    private final FragmentHandler delegate;
    private final Int2ObjectHashMap<MessageBuilder> begun = new Int2ObjectHashMap<>();
    private final ArrayDeque<MessageBuilder> free = new ArrayDeque<>();
    private long kept;

    /**
     * Creates an assembler.
     *
     * @param delegate handler to call with each complete message.
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
            begun.remove(sessionId); // before the handler is called, because it may poll
            try {
                if (isComplete) {
                    delegate.onFragment(builder.buffer(), 0, builder.length(), builder.header());
                }
            } finally {
                keep(builder);
            }
        }
    }

    /** Frees the incomplete messages of sessions whose images are closed. */
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

    /** Returns the total size of all buffers in bytes. */
    long capacity() {
        long bytes = kept;
        for (MessageBuilder builder : begun.values()) {
            bytes += builder.capacity();
        }
        return bytes;
    }

    /**
     * Drops a session's incomplete message, for example when the session's image becomes
     * unavailable. Called on the polling thread only.
     *
     * @param sessionId session id of the image.
     * @return whether there was an incomplete message.
     */
    public boolean freeSession(int sessionId) {
        MessageBuilder builder = begun.remove(sessionId);
        if (builder != null) {
            keep(builder);
        }
        return builder != null;
    }

    /**
     * Drops the incomplete messages of all sessions, and frees all buffers. Called on the polling
     * thread only.
     */
    public void clear() {
        begun.clear();
        free.clear();
        kept = 0;
    }
}
