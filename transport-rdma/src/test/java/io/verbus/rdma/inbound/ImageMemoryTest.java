// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.verbus.logbuffer.LogLayout;

import org.junit.jupiter.api.Test;

class ImageMemoryTest {
    private static final int TERM = 64 * 1024;
    private static final long LOG = LogLayout.fileLength(TERM);

    @Test
    void limitsMemoryPerHostAndInTotal() {
        ImageMemory memory = new ImageMemory(2 * LOG, 3 * LOG);
        ImageMemory.Share first = memory.take("10.0.0.1", TERM);
        assertNotNull(memory.take("10.0.0.1", TERM));
        assertNull(memory.take("10.0.0.1", TERM), "more than its share");
        assertNotNull(memory.take("10.0.0.2", TERM));
        assertNull(memory.take("10.0.0.3", TERM), "more than all may have");
        memory.giveBack(first, 0);
        assertNotNull(memory.take("10.0.0.3", TERM));
        assertNull(memory.take("10.0.0.1", TERM));
    }

    @Test
    void countsFailedOfferUntilItExpires() {
        ImageMemory memory = new ImageMemory(2 * LOG, 100 * LOG);
        for (int i = 0; i < 2; i++) {
            ImageMemory.Share share = memory.take("10.0.0.1", TERM);
            share.fail();
            memory.giveBack(share, i);
        }
        memory.work(ImageMemory.FAILED_NS - 1);
        assertNull(memory.take("10.0.0.1", TERM));
        memory.work(ImageMemory.FAILED_NS);
        assertNotNull(memory.take("10.0.0.1", TERM));
        assertNull(memory.take("10.0.0.1", TERM));
        memory.work(ImageMemory.FAILED_NS + 1);
        assertNotNull(memory.take("10.0.0.1", TERM));
    }
}
