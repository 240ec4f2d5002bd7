// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Flow control by the slowest receiver with a given tag; receivers without the tag may fall behind.
 */
final class TaggedFlowControl extends MinFlowControl {
    private final long tag;

    TaggedFlowControl(
            long position,
            long timeoutNs,
            long silenceNs,
            int groupSize,
            AtomicCounter receivers,
            long tag) {
        super(position, timeoutNs, silenceNs, groupSize, receivers);
        this.tag = tag;
    }

    @Override
    public boolean heeds(boolean isTagged, long groupTag) {
        return isTagged && groupTag == tag;
    }
}
