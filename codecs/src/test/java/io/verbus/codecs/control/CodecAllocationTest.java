// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;

/** Checks that the handwritten codecs do not allocate unless a String is requested. */
class CodecAllocationTest {
    private static final int ROUNDS = 1000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
    private final UnsafeBuffer key = new UnsafeBuffer(new byte[13]);
    private final UnsafeBuffer view = new UnsafeBuffer();
    private final StringBuilder text = new StringBuilder(100);

    private final AddCounterEncoder counterEncoder = new AddCounterEncoder();
    private final AddCounterDecoder counterDecoder = new AddCounterDecoder();
    private final AddStaticCounterEncoder staticEncoder = new AddStaticCounterEncoder();
    private final AddStaticCounterDecoder staticDecoder = new AddStaticCounterDecoder();
    private final AvailableImageEncoder imageEncoder = new AvailableImageEncoder();
    private final AvailableImageDecoder imageDecoder = new AvailableImageDecoder();

    @Test
    void codecsAndBoundsChecksDoNotAllocate() {
        run();
        long before = threads.getCurrentThreadAllocatedBytes();
        run();
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        // The query may allocate once; any object is more than one byte per round.
        assertTrue(allocated < ROUNDS, allocated + " bytes");
    }

    private void run() {
        for (int i = 0; i < ROUNDS; i++) {
            counterEncoder.wrap(buffer, 0).clientId(i).correlationId(2).typeId(3);
            counterEncoder.putKey(key, 0, key.capacity()).label("label");
            check(AddCounterDecoder.TEMPLATE_ID, counterEncoder.encodedLength());
            counterDecoder.wrap(buffer, 0).wrapKey(view);
            text.setLength(0);
            counterDecoder.getLabel(text);

            staticEncoder.wrap(buffer, 0).clientId(i).correlationId(2).registrationId(3).typeId(4);
            staticEncoder.putKey(key, 0, key.capacity()).putLabel(key, 0, key.capacity());
            check(AddStaticCounterDecoder.TEMPLATE_ID, staticEncoder.encodedLength());
            staticDecoder.wrap(buffer, 0).wrapLabel(view);
            staticDecoder.getKey(key, 0, key.capacity());

            imageEncoder.wrap(buffer, 0).imageId(i).sessionId(2).streamId(3);
            imageEncoder.logFile("logFile").sourceIdentity("sourceIdentity");
            check(AvailableImageDecoder.TEMPLATE_ID, imageEncoder.encodedLength());
            text.setLength(0);
            imageDecoder.wrap(buffer, 0).getSourceIdentity(text);
        }
    }

    private void check(int typeId, int length) {
        if (!MessageBounds.isWhole(typeId, buffer, 0, length)) {
            fail("not whole: " + typeId);
        }
    }
}
