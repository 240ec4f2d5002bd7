// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

/** The slowest of the receivers that have a tag decides; the others may fall behind. */
final class TaggedFlowControl extends MinFlowControl {
    private final long tag;

    TaggedFlowControl(long position, long timeoutNs, int groupSize, long tag) {
        super(position, timeoutNs, groupSize);
        this.tag = tag;
    }

    @Override
    public boolean heeds(boolean isTagged, long groupTag) {
        return isTagged && groupTag == tag;
    }
}
