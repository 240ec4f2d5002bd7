// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.outbound.LogPath;

/** A rule for writing a batch into a remote log: the real one, or a broken one. */
interface BatchWriter {
    /** Stages a batch, as {@link io.verbus.rdma.outbound.CommitRule#stage} does. */
    void stage(QueuePair queuePair, LogPath path, long position, int dataLength, int length);
}
