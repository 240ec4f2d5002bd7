// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RemoteKey;

/**
 * Source and target of writes to a remote log.
 *
 * @param localLog address of the publication log's first term.
 * @param localKey key for the publication log.
 * @param zero address of eight bytes that are always zero.
 * @param zeroKey key for these bytes.
 * @param remoteLog address of the image log's first term in the peer's memory.
 * @param remoteKey key for the image log's three terms.
 * @param termLength term length of both logs in bytes.
 */
public record LogPath(
        long localLog,
        LocalKey localKey,
        long zero,
        LocalKey zeroKey,
        long remoteLog,
        RemoteKey remoteKey,
        int termLength) {}
